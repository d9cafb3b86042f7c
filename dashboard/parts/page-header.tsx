/** The head of a page: its one heading, a sentence, and what can be done with all of it. Also the window's title. */
import { Box, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

export function PageHeader({
  title,
  says,
  children,
}: {
  title: string;
  says?: ReactNode;
  children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Postrider`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-end" gap="md" mb="lg" className="page-header">
      <Box className="page-header-words">
        <Title order={1} size="h2" tabIndex={-1} id="page-title">
          {title}
        </Title>
        {says && (
          <Text c="dimmed" size="sm" component="div">
            {says}
          </Text>
        )}
      </Box>
      {children && <Group gap="sm">{children}</Group>}
    </Group>
  );
}
