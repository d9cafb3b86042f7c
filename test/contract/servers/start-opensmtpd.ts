import { execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort, openWorkspace } from '../../services/index.js';
import { type MailServer, startMailServer } from './mail-server.js';

/**
 * An OpenSMTPD of the test's own. Its users, folders and paths are compiled in, so it runs in a root folder
 * of its own, made of its unpacked package and the libraries it needs.
 */
export async function startOpensmtpd(unpacked: string): Promise<MailServer> {
  const workspace = openWorkspace('opensmtpd');
  const root = join(workspace.directory, 'root');
  const port = await freePort();
  cpSync(unpacked, root, { recursive: true, verbatimSymlinks: true });
  for (const folder of [
    'bin',
    'dev',
    'etc',
    'tmp',
    'mail',
    'var/run',
    'var/spool',
    'var/lib/opensmtpd/empty',
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync('/bin/sh', join(root, 'bin/sh'));
  for (const program of ['bin/sh', 'usr/sbin/smtpd', 'usr/libexec/opensmtpd/mail.maildir']) {
    copyLibraries(join(root, program), root);
  }
  for (const [name, minor] of [
    ['null', '3'],
    ['urandom', '9'],
  ] as const) {
    execFileSync('mknod', ['-m', '666', join(root, 'dev', name), 'c', '1', minor]);
  }
  const mail = 61_003;
  chownSync(join(root, 'mail'), mail, mail);
  const files = {
    passwd: `root:x:0:0::/:/bin/sh\n${user('opensmtpd', 61_001)}${user('opensmtpq', 61_002)}${user('mail', mail)}`,
    group: 'root:x:0:\nopensmtpd:x:61001:\nopensmtpq:x:61002:\nmail:x:61003:\n',
    hosts: '127.0.0.1 localhost\n',
    mailname: 'opensmtpd.example\n',
    'smtpd.conf': `listen on 127.0.0.1 port ${port}
action "store" maildir "/mail/box" virtual { "@" = "mail" }
match from any for any action "store"
`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, 'etc', name), content);
  return startMailServer({
    workspace,
    port,
    program: 'chroot',
    args: [root, '/usr/sbin/smtpd', '-d', '-f', '/etc/smtpd.conf'],
    mailbox: join(root, 'mail/box'),
  });
}

function user(name: string, id: number): string {
  return `${name}:x:${id}:${id}::/mail:/bin/sh\n`;
}

function copyLibraries(program: string, root: string): void {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  for (const [path] of listed.matchAll(/\/\S+(?= \(0x)/g)) {
    const target = join(root, path);
    if (existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(path, target);
  }
}
