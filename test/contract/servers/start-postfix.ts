import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, openWorkspace } from '../../services/index.js';
import { type MailServer, startMailServer } from './mail-server.js';

/** A Postfix of the test's own: its configuration, queue and mailbox in a temporary folder, on a free port. */
export async function startPostfix(commands: string): Promise<MailServer> {
  const workspace = openWorkspace('postfix');
  const root = workspace.directory;
  const port = await freePort();
  const owner = { uid: idOf('-u'), gid: idOf('-g') };
  for (const folder of ['etc', 'queue', 'data', 'mail']) mkdirSync(join(root, folder));
  for (const folder of ['data', 'mail']) chownSync(join(root, folder), owner.uid, owner.gid);
  writeFileSync(
    join(root, 'etc', 'main.cf'),
    `compatibility_level = 3.6
queue_directory = ${root}/queue
data_directory = ${root}/data
mail_owner = postfix
setgid_group = postdrop
myhostname = postfix.example
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
maillog_file = /dev/stdout
smtpd_peername_lookup = no
smtputf8_enable = yes
virtual_mailbox_domains = example.net
virtual_mailbox_base = ${root}/mail
virtual_mailbox_maps = static:box/
virtual_uid_maps = static:${owner.uid}
virtual_gid_maps = static:${owner.gid}
virtual_minimum_uid = 1
`,
  );
  writeFileSync(join(root, 'etc', 'master.cf'), masterTable(port));
  const etc = join(root, 'etc');
  // Makes the folders of the queue. The server is started without the command around it, which would not
  // hand on the signal to end.
  execFileSync(join(commands, 'postfix'), ['-c', etc, 'check'], { stdio: 'ignore' });
  const daemons = execFileSync(join(commands, 'postconf'), ['-c', etc, '-h', 'daemon_directory'], {
    encoding: 'utf8',
  });
  return startMailServer({
    workspace,
    port,
    program: join(daemons.trim(), 'master'),
    args: ['-c', etc, '-d'],
    mailbox: join(root, 'mail', 'box'),
  });
}

function masterTable(port: number): string {
  const unix = [
    'rewrite trivial-rewrite',
    'bounce',
    'defer bounce',
    'trace bounce',
    'error',
    'retry error',
    'virtual',
    'proxymap',
    'anvil',
  ];
  return [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'postlog unix-dgram n - n - 1 postlogd',
    ...unix.map((line) => {
      const [name, program = name] = line.split(' ');
      return `${name} unix - ${name === 'virtual' ? 'n' : '-'} n - - ${program}`;
    }),
    '',
  ].join('\n');
}

function idOf(flag: '-u' | '-g'): number {
  return Number(spawnSync('id', [flag, 'postfix'], { encoding: 'utf8' }).stdout.trim());
}
