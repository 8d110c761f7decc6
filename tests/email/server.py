"""A mail server with STARTTLS and a log-in, which prints its port, and then each message that it accepts as a line of JSON.

Usage: server.py CERTIFICATE KEY. It refuses mailboxes that begin with "unknown" for good, with "later" for now.
"""

import asyncio
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

USER, PASSWORD = b"yaniv", b"s3cret/@:"


def authenticate(server, session, envelope, mechanism, data):
    right = (data.login, data.password) == (USER, PASSWORD)
    # Not handled: the server answers a refusal itself.
    return AuthResult(success=right, handled=right)


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


def connection():
    return SMTP(
        Mailboxes(),
        tls_context=context,
        require_starttls=True,
        authenticator=authenticate,
        auth_required=True,
    )


async def serve():
    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(serve())
