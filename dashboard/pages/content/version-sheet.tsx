/** The versions of an override, newest first: look at one, bring it back, turn the published one off and on. */
import { Button, Group } from '@mantine/core';
import { callApi } from '../../api/call-api.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Sheet } from '../../parts/sheet.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { TimeText } from '../../parts/time-text.js';
import { apiPathOf, type ContentKey, type VersionSeen } from './content-answers.js';

export interface VersionSheetProps {
  of: ContentKey;
  versions: readonly VersionSeen[] | undefined;
  error: unknown;
  onRetry(): void;
  mayChange: boolean;
  onLook(version: number): void;
  onChanged(): void;
}

export function VersionSheet(props: VersionSheetProps) {
  const { of, versions, error, onRetry, mayChange, onLook, onChanged } = props;
  const path = apiPathOf(of);
  const company = of.companyId === undefined ? {} : { companyId: of.companyId };
  return (
    <Sheet title="Versions" says="What was published is kept." flush>
      <DataTable
        label="Versions"
        rows={versions}
        error={error}
        onRetry={onRetry}
        keyOf={({ id }) => id}
        minWidth={640}
        columns={[
          { name: 'Version', numeric: true, cell: ({ version }) => version },
          { name: 'State', cell: (version) => <VersionState {...version} /> },
          { name: 'By', cell: ({ updatedBy }) => <span className="break">{updatedBy}</span> },
          { name: 'Changed', cell: ({ updatedAt }) => <TimeText at={updatedAt} /> },
          { name: 'Published', cell: ({ publishedAt }) => publishedAt && <TimeText at={publishedAt} /> },
          {
            name: 'Do',
            cell: ({ version, state, isActive }) => (
              <Group gap="xs" wrap="nowrap">
                <Button size="compact-sm" variant="default" onClick={() => onLook(version)}>
                  Look
                </Button>
                {mayChange && state === 'retired' && (
                  <ConfirmButton
                    label="Roll back"
                    size="compact-sm"
                    title={`Roll back to version ${version}?`}
                    act={() => callApi('POST', `${path}/roll-back`, { body: { ...company, version } })}
                    onDone={onChanged}
                  >
                    It is published again as a new version, and holds from now on.
                  </ConfirmButton>
                )}
                {mayChange && state === 'published' && (
                  <ConfirmButton
                    label={isActive ? 'Turn off' : 'Turn on'}
                    size="compact-sm"
                    title={isActive ? "Say it in the code's words?" : 'Say it in these words again?'}
                    act={() =>
                      callApi('POST', `${path}/active`, { body: { ...company, isActive: !isActive } })
                    }
                    onDone={onChanged}
                  >
                    {isActive
                      ? 'Emails accepted from now on say what the code says, until it is turned on again.'
                      : 'Emails accepted from now on say this.'}
                  </ConfirmButton>
                )}
              </Group>
            ),
          },
        ]}
        empty={
          <EmptyState icon="page" title="In the code's words">
            This company has no words of its own for this type in this language.
          </EmptyState>
        }
      />
    </Sheet>
  );
}

function VersionState({ state, isActive }: VersionSeen) {
  if (state === 'published' && !isActive) return <StatusBadge status="disabled" label="published, off" />;
  return <StatusBadge status={state} />;
}
