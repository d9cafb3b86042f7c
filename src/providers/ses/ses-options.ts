import { createRequire } from 'node:module';
import { PostriderError } from '../../kernel/index.js';
import type { DkimKey } from '../mime/dkim-keys.js';

/**
 * The settings of one SES account in one region. Without credentials the AWS SDK looks for them where
 * it always does: the environment, the shared files, the machine's or container's role.
 */
export interface SesOptions {
  /** Defaults to what the SDK finds: AWS_REGION, the shared files. */
  region?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** Another address than Amazon's, for tests and private endpoints. */
  endpoint?: string;
  configurationSet?: string;
  /** From the request to its answer. Defaults to 30 s. */
  timeoutMs?: number;
  /** Keys to sign with ourselves, one signature an email; none where the sender's identity signs by itself. */
  dkim?: DkimKey[];
}

/** The SDK is an optional peer: said at start, not at the first email, when it is missing. */
export function checkSdkInstalled(
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): void {
  try {
    resolve('@aws-sdk/client-sesv2');
  } catch (error) {
    throw new PostriderError(
      'INVALID_CONFIG',
      'SES needs the package @aws-sdk/client-sesv2, which is not installed: npm install @aws-sdk/client-sesv2',
      { field: 'email.mode', cause: error },
    );
  }
}
