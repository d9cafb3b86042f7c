"""Reads messages with Python's own email package: base64 of one message per line in, JSON per line out."""
import base64
import email
import email.policy
import json
import sys
from email.header import decode_header, make_header
from email.utils import getaddresses


def read(raw):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    text = message.get_body(("plain",))
    html = message.get_body(("html",))
    return {
        "subject": message["subject"],
        "messageId": message["message-id"],
        "from": mailboxes(raw, "from"),
        "to": mailboxes(raw, "to"),
        "cc": mailboxes(raw, "cc"),
        "replyTo": mailboxes(raw, "reply-to"),
        # Only white space that folds a line: of the rest nothing may be lost.
        "headers": [[name, str(value)] for name, value in message.items()],
        "text": text.get_content() if text else None,
        "html": html.get_content() if html else None,
        "attachments": [
            {
                "filename": part.get_filename(),
                "contentType": part.get_content_type(),
                "contentId": part["content-id"],
                "content": base64.b64encode(part.get_payload(decode=True)).decode(),
            }
            for part in message.walk()
            if part.get_filename() is not None
        ],
        "defects": [type(each).__name__ for part in message.walk() for each in part.defects],
    }


def mailboxes(raw, name):
    # The newer parser of addresses puts a space between neighbouring encoded words, against RFC 2047
    # (Python 3.11); the older one does not.
    header = email.message_from_bytes(raw)[name]
    if header is None:
        return []
    return [
        {"name": str(make_header(decode_header(shown))), "address": address}
        for shown, address in getaddresses([str(header)])
    ]


for line in sys.stdin:
    try:
        answer = read(base64.b64decode(line))
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer), flush=True)
