/** The email behind "Send a sample": real enough to look at, and sent the way every other one is. */
export function sampleEmail(): object {
  return {
    to: 'reader@example.com',
    subject: 'A first letter from Postrider',
    text: TEXT,
    html: HTML,
    metadata: { sample: true },
  };
}

const TEXT = `Hello,

this letter was accepted by the API, written to the outbox, picked up by
the worker and delivered over SMTP to the inbox you are looking at.

Open the tab Timeline to see every step it took.

Postrider
`;

const HTML = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A first letter</title></head>
<body style="margin:0;background:#eef1ef;font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;color:#22303a">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:40px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;background:#ffffff;border-radius:10px">
<tr><td style="padding:36px 40px 8px;font-size:13px;letter-spacing:.08em;color:#4a7080">POSTRIDER</td></tr>
<tr><td style="padding:0 40px"><h1 style="margin:0;font-size:24px;font-weight:600;line-height:1.3">It arrived.</h1></td></tr>
<tr><td style="padding:16px 40px;font-size:16px;line-height:1.6">This letter was accepted by the API, written to the
outbox, picked up by the worker and delivered over SMTP to the inbox you are looking at.</td></tr>
<tr><td style="padding:0 40px 36px;font-size:16px;line-height:1.6">Open the tab <strong>Timeline</strong> to see every
step it took.</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
