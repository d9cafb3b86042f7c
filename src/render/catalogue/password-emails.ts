/** The two emails about passwords that every portal has, each in its own words and look. */
import { defineEmail, type Portal } from '../define-email.js';
import {
  PASSWORD_LINK_SHOWN,
  passwordChange,
  passwordChangeSample,
  passwordLink,
  passwordLinkSample,
} from './account-fields.js';

interface Of<Name extends string> {
  type: Name;
  portal: Portal;
  /** Where its links lead in the sample. */
  host: string;
}

/** A link to choose a new password. */
export function forgotPasswordEmail<const Name extends string>({ type, portal, host }: Of<Name>) {
  return defineEmail({
    ...{ type, portal, category: 'auth', priority: 1, expiresIn: '1h', sensitive: true },
    ...{ subjectFields: PASSWORD_LINK_SHOWN, data: passwordLink, sample: passwordLinkSample(host) },
  });
}

/** A password was changed. */
export function passwordChangedEmail<const Name extends string>({ type, portal, host }: Of<Name>) {
  return defineEmail({
    ...{ type, portal, category: 'auth', priority: 2 },
    ...{ data: passwordChange, sample: passwordChangeSample(host) },
  });
}
