import { PostriderError } from '../kernel/index.js';

/**
 * Who is asking, as every door learns it. What a caller may do is decided by the doors' tables; whose data it
 * touches is decided here.
 */
export type Caller =
  | { kind: 'anyone' }
  /** The key of the settings, a process on this machine, or nobody else than loopback. */
  | { kind: 'root'; name: string }
  | KeyCaller
  | AdminCaller
  /** A user of the application, by a token the application signed. */
  | { kind: 'user'; userId: string; companyId: string };

export interface KeyCaller {
  kind: 'key';
  keyId: string;
  name: string;
  companyId: string;
  permission: KeyPermission;
  /** The only domains it may send from, or null for its tenant's. */
  fromDomains: readonly string[] | null;
}

export interface AdminCaller {
  kind: 'admin';
  adminId: string;
  email: string;
  name: string;
  role: AdminRole;
}

export type KeyPermission = 'full' | 'sending';

export const ADMIN_ROLES = ['admin', 'operator', 'viewer'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** The company whose data this caller touches: its own; for operators the one they name, or undefined for all. */
export function companyOf(caller: Caller, asked?: unknown): string | undefined {
  switch (caller.kind) {
    case 'root':
    case 'admin':
      return (asked ?? undefined) as string | undefined; // whether it can be one is for the room to say
    case 'key':
    case 'user':
      if (asked !== undefined && asked !== null && asked !== caller.companyId)
        throw foreignCompany('companyId');
      return caller.companyId;
    case 'anyone':
      throw new PostriderError('UNAUTHORIZED', 'A key is required.', { field: 'Authorization' });
  }
}

/** Says nothing about whether the other company exists. */
export function foreignCompany(field: string): PostriderError {
  return new PostriderError('COMPANY_NOT_ALLOWED', 'This key belongs to another company.', { field });
}
