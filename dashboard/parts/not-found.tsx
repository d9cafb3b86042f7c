import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from './empty-state.js';

/** An address no page has. */
export function NotFound() {
  return (
    <EmptyState icon="search" title="There is no such page">
      <Button component={Link} href="/" variant="default">
        To the overview
      </Button>
    </EmptyState>
  );
}
