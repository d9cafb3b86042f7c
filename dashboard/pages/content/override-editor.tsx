/**
 * A company's own words for a type in a language, edited beside how they look. Saving makes a draft; sending goes on
 * with what is published until the draft is. What is broken is refused with its line, while typing too. What is not
 * saved is kept in the tab until it is, or until it is given up.
 */
import { Button, Group, JsonInput, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { DraftContent } from '../../../src/render/index.js';
import { callApi } from '../../api/call-api.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { ErrorNotice } from '../../parts/error-notice.js';
import { Sheet } from '../../parts/sheet.js';
import { useKept } from '../../parts/use-kept.js';
import { apiPathOf, type ContentKey, keptNameOf, type Previewed } from './content-answers.js';
import { PreviewPane } from './preview-pane.js';

const STILL_MS = 400;

export interface OverrideEditorProps {
  of: ContentKey;
  begin: DraftContent;
  hasDraft: boolean;
  sample: unknown;
  onChanged(): void;
  onClose(): void;
}

export function OverrideEditor({ of, begin, hasDraft, sample, onChanged, onClose }: OverrideEditorProps) {
  const path = apiPathOf(of);
  const company = of.companyId === undefined ? {} : { companyId: of.companyId };
  const kept = useKept<KeptWords>(keptNameOf(of));
  const [content, setContent] = useState(kept.found?.content ?? begin);
  const [saved, setSaved] = useState(begin);
  const [data, setData] = useState(() => JSON.stringify(sample, null, 2));
  const dirty = !isSame(content, saved);
  useWarningBeforeLeaving(dirty);
  const [still] = useDebouncedValue({ content, data }, STILL_MS);
  const preview = useQuery({
    queryKey: ['live-preview', path, of.companyId ?? '', still],
    queryFn: ({ signal }) =>
      callApi<Previewed>('POST', `${path}/preview`, {
        body: { ...company, content: still.content, ...dataIn(still.data) },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 10_000,
  });
  const save = async () => {
    await callApi('PUT', `${path}/draft`, { body: { ...content, ...company } });
    setSaved(content);
    kept.forget();
    onChanged();
  };
  const saving = useMutation({ mutationFn: save });
  const change = (part: Partial<DraftContent>) => {
    const next = { ...content, ...part };
    setContent(next);
    kept.keep({ content: next, over: saved });
  };
  const leave = () => {
    kept.forget();
    onChanged();
    onClose();
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Sheet
        title="In your own words"
        says={dirty ? unsavedText(kept.found, begin) : hasDraft ? 'The draft.' : 'As it stands.'}
      >
        <Stack gap="sm">
          <TextInput
            label="Subject"
            value={content.subject}
            onChange={(event) => change({ subject: event.currentTarget.value })}
          />
          <Textarea
            label="HTML"
            description="{{variable}}, {{#if}}, {{#each}} and {{> pieces}}; what stands outside a whole document is put into the portal's frame."
            classNames={{ input: 'code-field' }}
            rows={18}
            spellCheck={false}
            value={content.htmlContent}
            onChange={(event) => change({ htmlContent: event.currentTarget.value })}
          />
          <Textarea
            label="Plain text"
            description="Left empty, it is made from the HTML."
            classNames={{ input: 'code-field' }}
            rows={4}
            spellCheck={false}
            value={content.textContent ?? ''}
            onChange={(event) => change({ textContent: event.currentTarget.value || null })}
          />
          <JsonInput
            label="Data to look at it with"
            description="A sample; nothing of it is saved."
            classNames={{ input: 'code-field' }}
            rows={6}
            validationError="This is not JSON yet."
            value={data}
            onChange={setData}
          />
          {saving.error && <ErrorNotice error={saving.error} />}
          <Group gap="sm">
            <Button loading={saving.isPending} disabled={!dirty} onClick={() => saving.mutate()}>
              Save the draft
            </Button>
            <ConfirmButton
              label="Publish"
              icon="send"
              title="Publish the draft?"
              disabled={!dirty && !hasDraft}
              act={async () => {
                if (dirty) await save();
                await callApi('POST', `${path}/publish`, { body: company });
              }}
              onDone={leave}
            >
              <Text>
                Emails accepted from now on say this. What was published before is kept and can be rolled back
                to.
              </Text>
            </ConfirmButton>
            {hasDraft && (
              <ConfirmButton
                label="Discard the draft"
                icon="trash"
                title="Discard the draft?"
                danger
                act={() => callApi('DELETE', `${path}/draft`, { query: company })}
                onDone={leave}
              >
                Its words are gone. What is published stays.
              </ConfirmButton>
            )}
            {dirty && (
              <Button
                variant="subtle"
                onClick={() => {
                  setContent(saved);
                  kept.forget();
                }}
              >
                Start over
              </Button>
            )}
            <Button variant="subtle" onClick={onClose}>
              Close
            </Button>
          </Group>
        </Stack>
      </Sheet>
      <Sheet title="As it would be read">
        <PreviewPane shown={preview.data} error={preview.error} title="Preview of the draft" />
      </Sheet>
    </SimpleGrid>
  );
}

interface KeptWords {
  content: DraftContent;
  /** What stood there when they were written. */
  over: DraftContent;
}

function isSame(a: DraftContent, b: DraftContent): boolean {
  return a.subject === b.subject && a.htmlContent === b.htmlContent && a.textContent === b.textContent;
}

function unsavedText(found: KeptWords | undefined, begin: DraftContent): string {
  if (found === undefined) return 'Not saved yet; kept in this tab until it is.';
  return isSame(found.over, begin)
    ? 'Not saved yet; as you left it.'
    : 'Not saved yet; as you left it. What was saved has changed since: saving replaces that.';
}

/** While it is no JSON the sample is used. */
function dataIn(text: string): { data?: unknown } {
  try {
    return { data: JSON.parse(text) };
  } catch {
    return {};
  }
}

function useWarningBeforeLeaving(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [dirty]);
}
