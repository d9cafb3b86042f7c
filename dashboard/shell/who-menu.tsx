/** Who is signed in, and the way out, here or everywhere. On an open loopback it says that nobody had to sign in. */
import { Button, Menu, Text, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { Icon } from '../parts/icon.js';
import { forgetKept } from '../parts/use-kept.js';

export function WhoMenu() {
  const session = useSession();
  const queries = useQueryClient();
  const leave = useMutation({
    mutationFn: (everywhere: boolean) => callApi('POST', '/auth/sign-out', { body: { everywhere } }),
    onSettled: () => {
      forgetKept();
      queries.clear();
      location.assign('/dashboard/');
    },
  });
  if (session.role === 'root')
    return (
      <Tooltip label="This process is open to everyone on this machine; nobody signs in.">
        <Text size="sm" c="dimmed" className="only-wide" tabIndex={0}>
          open on loopback
        </Text>
      </Tooltip>
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-md" className="who">
          {session.name || session.email}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.email} · {session.role}
        </Menu.Label>
        <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={() => leave.mutate(false)}>
          Sign out
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={() => leave.mutate(true)}>
          Sign out everywhere
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
