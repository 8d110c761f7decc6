"""A mail server with STARTTLS and a log-in, which prints its port, and then each message that it accepts as a line of JSON.

Usage: server.py CERTIFICATE KEY. It refuses mailboxes that begin with "unknown" for good, with "later" for now.
"""

import email
import email.policy
import json
import ssl
import sys
import time

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

USER, PASSWORD = b"yaniv", b"s3cret/@:"


def authenticate(server, session, envelope, mechanism, data):
    right = (data.login, data.password) == (USER, PASSWORD)
    return AuthResult(success=right)


class Mailboxes:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("unknown"):
            return "550 5.1.1 no such mailbox"
        if address.startswith("later"):
            return "451 4.3.0 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        headers = {name.lower(): str(value) for name, value in message.items()}
        line = {"to": envelope.rcpt_tos, "headers": headers, "text": message.get_content(), "tls": session.ssl is not None}
        print(json.dumps(line), flush=True)
        return "250 OK"


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
controller = Controller(
    Mailboxes(),
    hostname="127.0.0.1",
    port=0,
    tls_context=context,
    require_starttls=True,
    authenticator=authenticate,
    auth_required=True,
)
# `Controller` connects to the port that it was given, to see whether it works: 0 is none.
controller._trigger_server = lambda: None
controller.start()
print(controller.server.sockets[0].getsockname()[1], flush=True)
while True:
    time.sleep(3600)
