import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { composeMessage, type OutgoingEmail } from '../../src/providers/index.js';
import { bodyText, visibleText } from '../../src/providers/mime/any-text.fixture.js';
import { describeWith } from '../services/index.js';
import { email } from './provider.contract.js';
import { type PythonReader, startPythonReader } from './readers/start-python-reader.js';

/** Whatever we compose, readers written by others give back what was meant: with and without attachments. */
const anyEmail = fc
  .record({
    subject: visibleText,
    fromName: visibleText,
    toName: visibleText,
    text: bodyText,
    html: bodyText,
    files: fc.array(
      fc.record({
        // Readers decode what looks encoded in a file name, however it was written, and Python reads a
        // star in it as the mark of an extended value and takes away quotes and angle brackets around it, also those that
        // belong to it; mailparser looks an ending up among the properties of an object and dies of those every object has.
        filename: visibleText.map((name) =>
          name.replace(/[/\\*<>]|=\?|constructor|__proto__/gi, '-').replace(/^"(.*)"$/su, '-$1-'),
        ),
        contentType: fc.constantFrom('application/octet-stream', 'application/pdf', 'image/png'),
        content: fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ fromName, toName, files, ...parts }) =>
    email({
      ...parts,
      from: { address: 'sender@example.com', name: fromName },
      to: [{ address: 'reader@example.net', name: toName }],
      attachments: files,
    }),
  );

const RUNS = { numRuns: 150 };

const AS_IT_STANDS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
};

describe('any subject, names, bodies and attachments', () => {
  test('→ mailparser reads them back equal', async () => {
    await fc.assert(
      fc.asyncProperty(anyEmail, async (sent) => {
        const read = await simpleParser(await composeMessage(sent), AS_IT_STANDS);
        expect(read.subject).toBe(sent.subject);
        expect(read.messageId).toBe(sent.messageId);
        expect(withoutEnd(read.text)).toBe(withoutEnd(sent.text));
        expect(withoutEnd(read.html || '')).toBe(withoutEnd(sent.html));
        // mailparser trims each piece of a name too long for one line, so spaces are not compared here.
        const unspaced = ([name, content]: [string, string]) => [name.replaceAll(' ', ''), content];
        const files = read.attachments.map((each): [string, string] => [
          each.filename ?? '',
          each.content.toString('base64'),
        ]);
        expect(files.map(unspaced)).toEqual(filesOf(sent).map(unspaced));
      }),
      RUNS,
    );
  });

  test('→ postal-mime reads them back equal', async () => {
    await fc.assert(
      fc.asyncProperty(anyEmail, async (sent) => {
        const read = await PostalMime.parse(await composeMessage(sent));
        expect(read.subject).toBe(sent.subject);
        expect(read.from).toMatchObject(sent.from);
        expect(read.to).toMatchObject(sent.to);
        expect(withoutEnd(read.text)).toBe(withoutEnd(sent.text));
        expect(withoutEnd(read.html)).toBe(withoutEnd(sent.html));
        const files = read.attachments.map((each) => [
          each.filename,
          Buffer.from(each.content as ArrayBuffer).toString('base64'),
        ]);
        expect(files).toEqual(filesOf(sent));
      }),
      RUNS,
    );
  });
});

describeWith('python')('any subject, names, bodies and attachments', () => {
  let reader: PythonReader;
  beforeAll(() => {
    reader = startPythonReader(inject('pythonUrl')!);
  });
  afterAll(() => reader.stop());

  test("→ Python's email reads them back equal and finds no defect", async () => {
    await fc.assert(
      fc.asyncProperty(anyEmail, async (sent) => {
        const read = await reader.read(await composeMessage(sent));
        expect(read).toMatchObject({ subject: sent.subject, messageId: sent.messageId, defects: [] });
        expect(read.from).toEqual([sent.from]);
        expect(read.to).toEqual(sent.to);
        expect(withoutEnd(read.text)).toBe(withoutEnd(sent.text));
        expect(withoutEnd(read.html)).toBe(withoutEnd(sent.html));
        expect(read.attachments.map(({ filename, content }) => [filename, content])).toEqual(filesOf(sent));
      }),
      RUNS,
    );
  });
});

function filesOf({ attachments }: OutgoingEmail): [string, string][] {
  return attachments.map(({ filename, content }) => [filename, content.toString('base64')]);
}

function withoutEnd(text: string | null | undefined): string {
  return (text ?? '').replace(/\r\n/g, '\n').replace(/\n+$/, '');
}
