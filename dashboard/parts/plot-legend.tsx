/** What the colours of a plot stand for, with the latest figure of each. */
import type { Tone } from '../theme.js';

export function PlotLegend({
  items,
}: {
  items: ReadonlyArray<{ label: string; tone: Tone; value?: string }>;
}) {
  return (
    <ul className="legend">
      {items.map(({ label, tone, value }) => (
        <li key={label}>
          <span className="status" data-tone={tone}>
            {label}
          </span>
          {value !== undefined && <b>{value}</b>}
        </li>
      ))}
    </ul>
  );
}
