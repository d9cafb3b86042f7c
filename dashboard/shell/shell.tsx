/** The frame of every page: navigation, who is looking, light or dark. On a phone the navigation is a drawer. */
import { AppShell, Burger, Group, NavLink, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import type { DashboardPage } from '../pages/page-list.js';
import { Icon } from '../parts/icon.js';
import { ColorSchemeSwitch } from './color-scheme-switch.js';
import { WhoMenu } from './who-menu.js';

export function Shell({ pages, children }: { pages: readonly DashboardPage[]; children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when another page was chosen
  useEffect(close, [path]);
  const groups = [...new Set(pages.map(({ group }) => group))];
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 228, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
      transitionDuration={0}
    >
      <AppShell.Header className="shell-header">
        <a href="#main" className="skip">
          To the content
        </a>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close navigation' : 'Open navigation'}
              aria-expanded={opened}
            />
            <Link href="/" className="brand">
              <Icon name="mail" size={22} />
              <Text fw={650} component="span">
                Postrider
              </Text>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ColorSchemeSwitch />
            <WhoMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className="shell-nav" aria-label="Pages">
        <ScrollArea p="xs" type="auto">
          {groups.map((group) => (
            <div key={group} className="nav-group">
              <Text size="xs" c="dimmed" fw={600} px="sm" py={4}>
                {group}
              </Text>
              {pages
                .filter((page) => page.group === group)
                .map((page) => (
                  <NavLink
                    key={page.path}
                    component={Link}
                    href={page.path}
                    label={page.label}
                    leftSection={<Icon name={page.icon} />}
                    active={isAt(path, page)}
                    {...(isAt(path, page) && { 'aria-current': 'page' as const })}
                  />
                ))}
            </div>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <div className="page">{children}</div>
      </AppShell.Main>
    </AppShell>
  );
}

function isAt(path: string, page: DashboardPage): boolean {
  return page.path === '/' ? path === '/' : path === page.path || path.startsWith(`${page.path}/`);
}
