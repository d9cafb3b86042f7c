/** An email as it would be read: on a wide or a narrow screen, light or dark, as text, or as its source. */
import { Alert, Group, List, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNotice } from '../../parts/error-notice.js';
import { HtmlFrame } from '../../parts/html-frame.js';
import { Icon } from '../../parts/icon.js';
import type { Previewed } from './content-answers.js';

const PHONE_WIDTH = 375;
const FRAME_HEIGHT = 640;

export interface PreviewPaneProps {
  shown: Previewed | undefined;
  /** Said above what was last shown, which stays. */
  error: unknown;
  title: string;
}

export function PreviewPane({ shown, error, title }: PreviewPaneProps) {
  const [screen, setScreen] = useState('desktop');
  const [scheme, setScheme] = useState<'light' | 'dark'>('light');
  const [as, setAs] = useState('html');
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl aria-label="As" size="xs" value={as} onChange={setAs} data={FORMS} />
        {as === 'html' && (
          <>
            <SegmentedControl
              aria-label="Screen"
              size="xs"
              value={screen}
              onChange={setScreen}
              data={SCREENS}
            />
            <SegmentedControl
              aria-label="Scheme"
              size="xs"
              value={scheme}
              onChange={(chosen) => setScheme(chosen === 'dark' ? 'dark' : 'light')}
              data={SCHEMES}
            />
          </>
        )}
      </Group>
      {error !== null && <ErrorNotice error={error} />}
      {!shown && error === null && <Waiting />}
      {shown && (
        <>
          <Text size="sm" className="break">
            <Text component="span" c="dimmed" size="sm">
              Subject{' '}
            </Text>
            <strong>{shown.subject}</strong>
          </Text>
          {as === 'html' && (
            <div className="preview-ground">
              <HtmlFrame
                html={withImages(shown)}
                title={title}
                width={screen === 'phone' ? PHONE_WIDTH : '100%'}
                height={FRAME_HEIGHT}
                scheme={scheme}
              />
            </div>
          )}
          {as === 'text' && <Lines text={shown.text} label="Plain text" />}
          {as === 'source' && <Lines text={shown.html} label="Source" />}
          <Warnings warnings={shown.warnings} />
        </>
      )}
    </Stack>
  );
}

/** As high as what it waits for, so that nothing below jumps. */
function Waiting() {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      <Skeleton h={22} w="40%" radius="sm" />
      <Skeleton h={FRAME_HEIGHT + 24} radius="md" />
    </Stack>
  );
}

const FORMS = [
  { value: 'html', label: 'HTML' },
  { value: 'text', label: 'Text' },
  { value: 'source', label: 'Source' },
];
const SCREENS = [
  { value: 'desktop', label: 'Desktop' },
  { value: 'phone', label: 'Phone' },
];
const SCHEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

function Lines({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="source">
      {text}
    </section>
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert
      variant="outline"
      className="notice-wait"
      icon={<Icon name="warning" />}
      title="Mail programs would not show it as it is meant"
    >
      <List size="sm">
        {warnings.map((warning) => (
          <List.Item key={warning} className="break">
            {warning}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** What goes along with the email stands in it, since the frame may load nothing. */
function withImages({ html, images }: Previewed): string {
  return images.reduce(
    (text, { contentId, contentType, content }) =>
      contentId ? text.replaceAll(`cid:${contentId}`, `data:${contentType};base64,${content}`) : text,
    html,
  );
}
