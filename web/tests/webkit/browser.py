#!/usr/bin/python3
"""A WebKit browser of one window for WebKitWebDriver: MiniBrowser forgets everything when it is driven, this one keeps it in PROFILE."""
import os
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402

profile = sys.argv[1]
width, height = 390, 844
data = WebKit2.WebsiteDataManager(base_data_directory=f"{profile}/data", base_cache_directory=f"{profile}/cache")
data.get_cookie_manager().set_persistent_storage(f"{profile}/cookies.sqlite", WebKit2.CookiePersistentStorage.SQLITE)
context = WebKit2.WebContext.new_with_website_data_manager(data)
context.set_preferred_languages(["en-GB"])
context.set_automation_allowed(True)


def create_view(_session):
    # What the page prints goes where this program's output goes: the test reads it.
    settings = WebKit2.Settings(enable_write_console_messages_to_stdout=True)
    view = WebKit2.WebView(web_context=context, settings=settings, is_controlled_by_automation=True)
    window = Gtk.Window(default_width=width, default_height=height, decorated=False)
    window.add(view)
    window.show_all()
    view.connect("close", lambda _view: window.destroy())
    return view


def started(_context, session):
    info = WebKit2.ApplicationInfo()
    info.set_name("browser.py")
    info.set_version(WebKit2.get_major_version(), WebKit2.get_minor_version(), WebKit2.get_micro_version())
    session.set_application_info(info)
    session.connect("create-web-view", create_view)


context.connect("automation-started", started)
os.makedirs(profile, exist_ok=True)
Gtk.main()
