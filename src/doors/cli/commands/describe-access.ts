import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { adminChange, adminCode, adminCreate, adminList } from './admin.js';
import { keysCreate, keysList, keysRevoke, keysRotate } from './keys.js';
import { tenantsChange, tenantsCreate, tenantsList } from './tenants.js';

type Run = (running: Promise<number>) => Promise<void>;

/** `postrider tenants`, `keys` and `admin`: what there is to say to them. */
export function describeAccess(program: Command, cli: Cli, run: Run): void {
  tenants(
    program.command('tenants').description('the companies that send, and from which domains'),
    cli,
    run,
  );
  keys(
    program.command('keys').description('API keys of tenants, and the keys secrets are sealed with'),
    cli,
    run,
  );
  admins(program.command('admin').description('accounts of the people who operate Postrider'), cli, run);
}

function tenants(parent: Command, cli: Cli, run: Run): void {
  parent
    .command('create <companyId>')
    .description('add one')
    .option('--name <text>', 'how people call it')
    .option('--domain <domain...>', 'the only domains it may send from')
    .option('--contact <address>', 'who is told what people have to mend')
    .action((id: string, _, self: Command) => run(tenantsCreate(cli, id, self.optsWithGlobals())));
  parent
    .command('list')
    .description('all of them')
    .option('--json', 'as JSON')
    .action((_, self: Command) => run(tenantsList(cli, self.optsWithGlobals())));
  parent
    .command('senders <companyId>')
    .description('change the domains it may send from')
    .option('--domain <domain...>', 'these and no other')
    .option('--any-domain', 'no list')
    .action((id: string, _, self: Command) => run(tenantsChange(cli, id, self.optsWithGlobals())));
  parent
    .command('contact <companyId> [address]')
    .description('who is told what people have to mend; nobody of its own without an address')
    .action((id: string, contact: string | undefined, _, self: Command) =>
      run(tenantsChange(cli, id, { ...self.optsWithGlobals(), contact: contact ?? null })),
    );
  for (const [name, says, disabled] of [
    ['disable', 'refuse everything it sends, through every door', true],
    ['enable', 'let it send again', false],
  ] as const) {
    parent
      .command(`${name} <companyId>`)
      .description(says)
      .action((id: string, _, self: Command) =>
        run(tenantsChange(cli, id, { ...self.optsWithGlobals(), disabled })),
      );
  }
}

function keys(parent: Command, cli: Cli, run: Run): void {
  parent
    .command('create <companyId>')
    .description('make one and show its token, once')
    .requiredOption('--name <text>', 'what it is for')
    .option('--permission <full|sending>', 'everything of its tenant, or only to send (full)')
    .option('--domain <domain...>', 'the only domains it may send from')
    .action((id: string, _, self: Command) => run(keysCreate(cli, id, self.optsWithGlobals())));
  parent
    .command('list [companyId]')
    .description('all of them, or those of one tenant')
    .option('--json', 'as JSON')
    .action((id: string | undefined, _, self: Command) => run(keysList(cli, id, self.optsWithGlobals())));
  parent
    .command('revoke <id>')
    .description('refuse it from now on')
    .action((id: string, _, self: Command) => run(keysRevoke(cli, id, self.optsWithGlobals())));
  parent
    .command('rotate')
    .description('seal every secret in the database with the newest of POSTRIDER_SECRET_KEYS')
    .action((_, self: Command) => run(keysRotate(cli, self.optsWithGlobals())));
}

function admins(parent: Command, cli: Cli, run: Run): void {
  parent
    .command('create <email>')
    .description('add an account; its password is typed or piped in')
    .option('--role <role>', 'admin, operator or viewer (viewer; admin for the first)')
    .option('--name <text>', 'how the emails greet')
    .action((email: string, _, self: Command) => run(adminCreate(cli, email, self.optsWithGlobals())));
  parent
    .command('list')
    .description('all of them')
    .option('--json', 'as JSON')
    .action((_, self: Command) => run(adminList(cli, self.optsWithGlobals())));
  parent
    .command('code <email>')
    .description('the code for a sign-in that waits, when mail is down')
    .action((email: string, _, self: Command) => run(adminCode(cli, email, self.optsWithGlobals())));
  parent
    .command('password <email>')
    .description('give it another password, typed or piped in')
    .action((email: string, _, self: Command) =>
      run(adminChange(cli, email, 'password', self.optsWithGlobals())),
    );
  parent
    .command('role <email> <role>')
    .description('admin, operator or viewer')
    .action((email: string, role: string, _, self: Command) =>
      run(adminChange(cli, email, { role }, self.optsWithGlobals())),
    );
  for (const [name, says, disabled] of [
    ['disable', 'sign it out and let it sign in no more', true],
    ['enable', 'let it sign in again', false],
  ] as const) {
    parent
      .command(`${name} <email>`)
      .description(says)
      .action((email: string, _, self: Command) =>
        run(adminChange(cli, email, { disabled }, self.optsWithGlobals())),
      );
  }
}
