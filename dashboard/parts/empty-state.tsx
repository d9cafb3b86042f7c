/** Where there is nothing: says so, and what would make something appear. */
import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.js';

export function EmptyState({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
}) {
  return (
    <Stack align="center" gap="sm" py={56} px="md" ta="center" className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={28} />
      </span>
      <Title order={2} size="h4">
        {title}
      </Title>
      {typeof children === 'string' ? (
        <Text c="dimmed" maw={460}>
          {children}
        </Text>
      ) : (
        children
      )}
    </Stack>
  );
}
