import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { type Logger, messageOf, PostriderError } from '../../kernel/index.js';

/** A certificate and its key from files: read at the start, where they must fit each other, and again as they change. */
export interface CertificateFiles {
  certificateFile: string;
  keyFile: string;
}

export interface Certificate {
  cert: string;
  key: string;
}

/** Those that are set; null where neither is. */
export function certificateFiles({ certificateFile, keyFile }: Settings): CertificateFiles | null {
  if (certificateFile === null && keyFile === null) return null;
  if (certificateFile !== null && keyFile !== null) return { certificateFile, keyFile };
  throw new PostriderError(
    'INVALID_CONFIG',
    'POSTRIDER_SUBMISSION_CERT and POSTRIDER_SUBMISSION_KEY belong together.',
    { field: certificateFile === null ? 'POSTRIDER_SUBMISSION_CERT' : 'POSTRIDER_SUBMISSION_KEY' },
  );
}

interface Settings {
  certificateFile: string | null;
  keyFile: string | null;
}

export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  try {
    const [cert, key] = await Promise.all([
      readFile(files.certificateFile, 'utf8'),
      readFile(files.keyFile, 'utf8'),
    ]);
    createSecureContext({ cert, key });
    return { cert, key };
  } catch (error) {
    throw new PostriderError(
      'INVALID_CONFIG',
      `The certificate ${files.certificateFile} cannot be used: ${messageOf(error)}.`,
      { field: 'POSTRIDER_SUBMISSION_CERT', cause: error },
    );
  }
}

/** Looks every minute, so that a renewed certificate is used without a restart. Returns what ends it. */
export function watchCertificate(
  files: CertificateFiles,
  current: Certificate,
  { onChange, logger }: { onChange(certificate: Certificate): void; logger: Logger },
): () => void {
  let known = current;
  const timer = setInterval(() => {
    readCertificate(files)
      .then((next) => {
        if (next.cert === known.cert && next.key === known.key) return;
        known = next;
        onChange(next);
        logger.info({}, 'the certificate of the SMTP door was renewed');
      })
      // Half-written files are read again in a minute; the old certificate holds meanwhile.
      .catch((error: unknown) =>
        logger.warn({ err: messageOf(error) }, 'the renewed certificate is unusable'),
      );
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

const EVERY_MS = 60_000;
