/** A secret that the server will not say again, with the button that copies it. */
import { Alert, Stack, Text } from '@mantine/core';
import { CopyText } from './copy-text.js';
import { Icon } from './icon.js';

export function ShownOnce({ value, label }: { value: string; label: string }) {
  return (
    <Stack gap="sm">
      <Alert variant="outline" className="notice-wait" icon={<Icon name="key" />} title="Copy it now">
        <Text size="sm">It is shown this once. Postrider keeps no way to read it again.</Text>
      </Alert>
      <div className="source">
        <CopyText value={value} label={label} />
      </div>
    </Stack>
  );
}
