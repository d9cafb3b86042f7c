/** A piece of a page on its own paper, with a heading where it needs one. */
import { Box, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface SheetProps {
  title?: string;
  says?: ReactNode;
  /** Beside the heading. */
  aside?: ReactNode;
  /** Without a margin inside, for tables. */
  flush?: boolean;
  children: ReactNode;
}

export function Sheet({ title, says, aside, flush = false, children }: SheetProps) {
  return (
    <section className={flush ? 'sheet sheet-flush' : 'sheet'}>
      {(title || aside) && (
        <Group justify="space-between" gap="sm" className="sheet-head">
          <Box>
            {title && (
              <Title order={2} size="h5">
                {title}
              </Title>
            )}
            {says && (
              <Text size="xs" c="dimmed" component="div">
                {says}
              </Text>
            )}
          </Box>
          {aside}
        </Group>
      )}
      {children}
    </section>
  );
}
