/** One type in one language: how it looks, in whose words, its versions, and the editor for a company's own. */
import { Button, Group, NativeSelect, Skeleton, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { callApi } from '../api/call-api.js';
import { useSession } from '../api/session.js';
import { CompanyField } from '../parts/company-field.js';
import { ErrorNotice } from '../parts/error-notice.js';
import { FindField } from '../parts/find-field.js';
import { Icon } from '../parts/icon.js';
import { PageHeader } from '../parts/page-header.js';
import { Sheet } from '../parts/sheet.js';
import { useIsKept } from '../parts/use-kept.js';
import { usePathPart } from '../parts/use-path-part.js';
import { useUrlState } from '../parts/use-url-state.js';
import {
  apiPathOf,
  type ContentKey,
  type ContentList,
  keptNameOf,
  type Previewed,
  pagePathOf,
  type VersionList,
} from './content/content-answers.js';
import { OverrideEditor } from './content/override-editor.js';
import { PreviewPane } from './content/preview-pane.js';
import { VersionSheet } from './content/version-sheet.js';

export default function ContentTypePage() {
  const type = usePathPart('type');
  const lang = usePathPart('lang');
  const [{ companyId, version, edit }, change] = useUrlState(['companyId', 'version', 'edit']);
  const [, navigate] = useLocation();
  const session = useSession();
  const queries = useQueryClient();
  const of: ContentKey = { type, lang, companyId };
  const list = useQuery({
    queryKey: ['content', ''],
    queryFn: ({ signal }) => callApi<ContentList>('GET', '/admin/templates', { signal }),
  });
  const versions = useQuery({
    queryKey: ['versions', of],
    queryFn: ({ signal }) => callApi<VersionList>('GET', apiPathOf(of), { query: { companyId }, signal }),
  });
  const known = list.data?.types.find((one) => one.type === type);
  const draft = versions.data?.versions.find(({ state }) => state === 'draft');
  const published = versions.data?.versions.find(({ state }) => state === 'published');
  const again = () => {
    for (const key of ['content', 'versions', 'preview']) queries.invalidateQueries({ queryKey: [key] });
  };
  const mayChange = session.may('operate');
  const unsaved = useIsKept(keptNameOf(of));
  const wantsToEdit = mayChange && edit !== undefined;
  const editing = wantsToEdit && versions.data !== undefined && known !== undefined;
  const languages = [...new Set([...(known?.languages ?? []), lang])];
  return (
    <Stack gap="md">
      <PageHeader
        title={type}
        says={
          known ? `${known.portal} · ${known.category}${known.sensitive ? ' · sensitive' : ''}` : '\u00a0'
        }
      >
        {mayChange && !wantsToEdit && (
          <Button
            disabled={!versions.data}
            leftSection={<Icon name="page" size={16} />}
            onClick={() => change({ edit: '1', version: null })}
          >
            {unsaved ? 'Go on writing' : draft ? 'Edit the draft' : published ? 'Edit' : 'Say it differently'}
          </Button>
        )}
      </PageHeader>
      <Group gap="md" align="flex-end">
        <NativeSelect
          label="Language"
          value={lang}
          data={languages}
          onChange={(event) => navigate(pagePathOf({ ...of, lang: event.currentTarget.value }))}
        />
        <CompanyField
          value={companyId}
          onChange={(chosen) => navigate(pagePathOf({ ...of, companyId: chosen ?? undefined }))}
        />
        <FindField
          label="Another language"
          placeholder="pt-BR"
          onFind={(tag) => navigate(pagePathOf({ ...of, lang: tag }))}
        />
      </Group>
      {editing ? (
        <OverrideEditor
          key={`${type} ${lang} ${companyId ?? ''}`}
          of={of}
          begin={contentOf(draft ?? published ?? versions.data.own)}
          hasDraft={draft !== undefined}
          sample={known.sample}
          onChanged={again}
          onClose={() => change({ edit: null })}
        />
      ) : wantsToEdit && (versions.isPending || list.isPending) ? (
        <Skeleton h={EDITOR_HEIGHT} radius="md" />
      ) : (
        <Preview of={of} version={version} onLatest={() => change({ version: null })} />
      )}
      {versions.error && !versions.data ? (
        <ErrorNotice error={versions.error} onRetry={() => versions.refetch()} />
      ) : (
        <VersionSheet
          of={of}
          versions={versions.data?.versions}
          error={versions.error}
          onRetry={() => versions.refetch()}
          mayChange={mayChange}
          onLook={(number) => change({ version: String(number), edit: null })}
          onChanged={again}
        />
      )}
    </Stack>
  );
}

/** About that of the editor, so that nothing jumps when it comes. */
const EDITOR_HEIGHT = 1000;

interface PreviewProps {
  of: ContentKey;
  version: string | undefined;
  onLatest(): void;
}

function Preview({ of, version, onLatest }: PreviewProps) {
  const preview = useQuery({
    queryKey: ['preview', of, version ?? ''],
    queryFn: ({ signal }) =>
      callApi<Previewed>('GET', `${apiPathOf(of)}/preview`, {
        query: { companyId: of.companyId, version },
        signal,
      }),
    retry: false,
  });
  return (
    <Sheet
      title={version === undefined ? 'What is sent' : `Version ${version}`}
      says="With the sample data of the type."
      aside={
        version !== undefined && (
          <Button size="xs" variant="default" onClick={onLatest}>
            What is sent
          </Button>
        )
      }
    >
      <PreviewPane shown={preview.data} error={preview.error} title={`${of.type} in ${of.lang}`} />
    </Sheet>
  );
}

function contentOf({ subject, htmlContent, textContent = null }: VersionList['own']): VersionList['own'] {
  return { subject, htmlContent, textContent };
}
