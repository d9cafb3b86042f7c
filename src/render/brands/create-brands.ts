import { trimEndOf } from '../../kernel/index.js';
import type { Portal, TypeAttachment } from '../define-email.js';
import { fallbackChain } from '../languages.js';
import type { TemplateFiles } from '../template-files.js';
import { contrast, lighten } from './colors.js';
import type { BrandLook, ParsedBrand } from './parse-brands.js';

/**
 * The look of an email: the portal's own of the package, and over it what the application says for all, for the
 * portal and for the company, in the order it was written. What follows from other values is worked out here.
 */
export interface Brands {
  of(portal: Portal, companyId: string | null): Brand;
  /** Companies that have a look of their own. */
  companies(): string[];
}

export interface Brand {
  /** Equal for equal looks. */
  key: string;
  name: string;
  supportEmail: string;
  url: string;
  /** What templates know as `brand`. */
  values(language: string): Record<string, string>;
  /** The logo that goes along, or null. */
  image: TypeAttachment | null;
}

export interface BrandsOptions {
  files: TemplateFiles;
  /** The setting, or null. A brand's own wins. */
  appUrl: string | null;
  brands?: readonly ParsedBrand[] | undefined;
}

export const LOGO_ID = 'brand-logo';

export function createBrands({ files, appUrl, brands = [] }: BrandsOptions): Brands {
  const known = new Map<string, Brand>();
  const named = new Set(brands.flatMap(({ companyId }) => companyId ?? []));
  return {
    of(portal, companyId) {
      const company = companyId !== null && named.has(companyId) ? companyId : null;
      const key = `${portal} ${company ?? ''}`;
      let brand = known.get(key);
      if (!brand) {
        const own = brands.filter(
          (one) => (one.portal ?? portal) === portal && (one.companyId ?? company) === company,
        );
        brand = { key, ...join(files.brand(portal), own, appUrl) };
        known.set(key, brand);
      }
      return brand;
    },
    companies: () => [...named].sort(),
  };
}

function join(
  base: Record<string, string>,
  own: readonly ParsedBrand[],
  appUrl: string | null,
): Omit<Brand, 'key'> {
  const look: BrandLook = Object.assign({}, ...own.map(givenOf));
  const image = own.findLast(({ logo }) => logo !== undefined)?.image;
  const url = trimEndOf(look.url ?? appUrl ?? base.url ?? '', '/');
  const { footer, logo, helpUrl, settingsUrl, legalUrl, ...texts } = look;
  // The package's own address and mailbox are examples; under another brand they would be wrong.
  const examples = own.length > 0 ? { ...base, address: '', supportEmail: '' } : base;
  const plain = { ...examples, ...texts } as Record<string, string>;
  const color = plain.color!;
  const values = {
    ...plain,
    url,
    colorDark: look.colorDark ?? (look.color === undefined ? plain.colorDark! : lighten(color, NIGHT, 4.5)),
    // White stands on the brand's colour where it can be read there.
    onColor: contrast(color, '#ffffff') >= 3 ? '#ffffff' : NIGHT,
    logo: logo ? (logo.url ?? `cid:${LOGO_ID}`) : '',
    logoWidth: String(logo?.width ?? ''),
    helpUrl: helpUrl === undefined ? `${url}/help` : (helpUrl ?? ''),
    settingsUrl: settingsUrl === undefined ? `${url}/settings/emails` : (settingsUrl ?? ''),
    legalUrl: legalUrl === undefined ? `${url}/legal` : (legalUrl ?? ''),
  };
  return {
    ...{ name: plain.name!, supportEmail: plain.supportEmail!, url },
    values: (language) => ({ ...values, footer: footerFor(footer, language) }),
    image: image
      ? { filename: `logo.${image.contentType.slice('image/'.length)}`, contentId: LOGO_ID, ...image }
      : null,
  };
}

const NIGHT = '#14181b';

/** Without what was left out, which must not hide what was said before. */
function givenOf({ portal, companyId, image, ...look }: ParsedBrand): BrandLook {
  return Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined));
}

function footerFor(footer: BrandLook['footer'], language: string): string {
  if (footer === undefined || typeof footer === 'string') return footer ?? '';
  const found = fallbackChain(language).find((candidate) => Object.hasOwn(footer, candidate));
  return found === undefined ? '' : footer[found]!;
}
