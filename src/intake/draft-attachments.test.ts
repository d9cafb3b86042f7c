import { expect, test } from 'vitest';
import { parseAttachments } from './draft-attachments.js';

const file = (change: object = {}) => ({ filename: 'a.pdf', content: 'QUJD', ...change });

test.each<[string, { attachments: unknown }, string]>([
  ['attachments not a list', { attachments: {} }, 'attachments'],
  ['21 files', { attachments: Array(21).fill(file()) }, 'attachments'],
  ['file not an object', { attachments: ['a'] }, 'attachments[0]'],
  ['file without a name', { attachments: [file({ filename: undefined })] }, 'attachments[0].filename'],
  ['file with a path', { attachments: [file({ filename: '../etc/passwd' })] }, 'attachments[0].filename'],
  ['file with a Windows path', { attachments: [file({ filename: 'C:\\a.exe' })] }, 'attachments[0].filename'],
  ['file called ..', { attachments: [file({ filename: '..' })] }, 'attachments[0].filename'],
  ['file name with a newline', { attachments: [file({ filename: 'a\r\nb' })] }, 'attachments[0].filename'],
  [
    'file name turned around',
    { attachments: [file({ filename: 'fdp.\u202eexe' })] },
    'attachments[0].filename',
  ],
  [
    'file name over 255 bytes',
    { attachments: [file({ filename: 'å'.repeat(128) })] },
    'attachments[0].filename',
  ],
  ['file without content', { attachments: [file(), file({ content: undefined })] }, 'attachments[1].content'],
  ['base64 with white space', { attachments: [file({ content: 'QU JD' })] }, 'attachments[0].content'],
  ['base64 with a newline', { attachments: [file({ content: 'QUJD\n' })] }, 'attachments[0].content'],
  ['base64 for URLs', { attachments: [file({ content: 'QU_-' })] }, 'attachments[0].content'],
  ['base64 cut short', { attachments: [file({ content: 'QUJ' })] }, 'attachments[0].content'],
  ['base64 with early padding', { attachments: [file({ content: 'QQ==QUJD' })] }, 'attachments[0].content'],
  [
    'base64 with early padding where it is looked at in slices',
    { attachments: [file({ content: `${'A'.repeat(64 * 1024 - 2)}==QUJD` })] },
    'attachments[0].content',
  ],
  [
    'base64 with a stray character far behind',
    { attachments: [file({ content: `${'A'.repeat(200_001)}-AA` })] },
    'attachments[0].content',
  ],
  ['base64 of padding alone', { attachments: [file({ content: '====' })] }, 'attachments[0].content'],
  ['base64 with stray bits', { attachments: [file({ content: 'QR==' })] }, 'attachments[0].content'],
  [
    'content type without a slash',
    { attachments: [file({ contentType: 'pdf' })] },
    'attachments[0].contentType',
  ],
  [
    'content type with a header',
    { attachments: [file({ contentType: 'a/b\r\nX: y' })] },
    'attachments[0].contentType',
  ],
  [
    'multipart content type',
    { attachments: [file({ contentType: 'multipart/mixed' })] },
    'attachments[0].contentType',
  ],
  ['content id in brackets', { attachments: [file({ contentId: '<a>' })] }, 'attachments[0].contentId'],
  ['unknown key in a file', { attachments: [file({ path: '/etc/passwd' })] }, 'attachments[0].path'],
])('%s → refused with its field', (_, { attachments }, field) => {
  expect(() => parseAttachments(attachments)).toThrow(
    expect.objectContaining({ code: 'INVALID_PAYLOAD', field }),
  );
});

test('over 10 MB in all → 413 naming attachments', () => {
  const sixMegabytes = Buffer.alloc(6 * 1024 * 1024).toString('base64');
  const attachments = [file({ content: sixMegabytes }), file({ content: sixMegabytes })];
  expect(() => parseAttachments(attachments)).toThrow(
    expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE', field: 'attachments', status: 413 }),
  );
});

test('a setting of more or less → what holds, and what is told', () => {
  const sixMegabytes = Buffer.alloc(6 * 1024 * 1024).toString('base64');
  const attachments = [file({ content: sixMegabytes }), file({ content: sixMegabytes })];
  expect(parseAttachments(attachments, 12 * 1024 ** 2)).toHaveLength(2);
  expect(() => parseAttachments(attachments, 2.5 * 1024 ** 2)).toThrow('are larger than 2.5 MB in all');
});

test('no content type → taken from the name, octets when the name says nothing', () => {
  const names = ['A.PDF', 'b.tar.gz', 'constructor', 'c.png'];
  const types = parseAttachments(names.map((filename) => file({ filename }))).map((each) => each.contentType);
  expect(types).toEqual([
    'application/pdf',
    'application/octet-stream',
    'application/octet-stream',
    'image/png',
  ]);
});

test('an empty file and both paddings → accepted', () => {
  expect(parseAttachments(['', 'QQ==', 'QUI='].map((content) => file({ content })))).toHaveLength(3);
});
