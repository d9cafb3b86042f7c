import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { printable } from '../terminal.js';
import { withApi } from '../with-api.js';

/** `postrider admin …`: accounts of the people who operate Postrider. Passwords are typed or piped in. */
export async function adminCreate(
  cli: Cli,
  email: string,
  options: CommonOptions & { role?: string; name?: string },
): Promise<number> {
  const password = await cli.readPassword();
  return withApi(cli, options, async (call) => {
    // Whoever makes the first account must be able to make the others.
    const { admins } = await call<{ admins: unknown[] }>('GET', '/admin/admins');
    const role = options.role ?? (admins.length === 0 ? 'admin' : 'viewer');
    const made = await call<Account>('POST', '/admin/admins', {
      email,
      role,
      password,
      ...(options.name !== undefined && { name: options.name }),
    });
    cli.terminal.out(`${printable(made.email)} can sign in as ${made.role}.`);
    return 0;
  });
}

export function adminList(cli: Cli, options: CommonOptions & { json?: boolean }): Promise<number> {
  return withApi(cli, options, async (call) => {
    const { admins } = await call<{ admins: Account[] }>('GET', '/admin/admins');
    if (options.json) cli.terminal.out(JSON.stringify(admins, null, 2));
    else if (admins.length === 0)
      cli.terminal.note('None yet; `postrider admin create <email>` makes the first.');
    for (const line of options.json ? [] : columns(admins.map(row))) cli.terminal.out(line);
    return 0;
  });
}

/** The code of a sign-in that waits for one, for when mail is down. */
export function adminCode(cli: Cli, email: string, options: CommonOptions): Promise<number> {
  return withApi(cli, options, async (call) => {
    const { code } = await call<{ code: string }>('POST', `/admin/admins/${encodeURIComponent(email)}/code`);
    cli.terminal.out(code);
    cli.terminal.note(
      'It holds ten minutes, for the sign-in that was begun last; earlier codes are worth nothing.',
    );
    return 0;
  });
}

export async function adminChange(
  cli: Cli,
  email: string,
  change: Record<string, unknown> | 'password',
  options: CommonOptions,
): Promise<number> {
  const body = change === 'password' ? { password: await cli.readPassword() } : change;
  return withApi(cli, options, async (call) => {
    const account = await call<Account>('PATCH', `/admin/admins/${encodeURIComponent(email)}`, body);
    cli.terminal.out(row(account).join('  '));
    return 0;
  });
}

interface Account {
  email: string;
  name: string;
  role: string;
  lastSignInAt: string | null;
  disabledAt: string | null;
}

function row({ email, name, role, lastSignInAt, disabledAt }: Account): string[] {
  const seen = disabledAt !== null ? 'disabled' : (lastSignInAt ?? 'never signed in');
  return [printable(email), role, printable(name), seen];
}
