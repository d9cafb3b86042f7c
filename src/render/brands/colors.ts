/** Colours as people see them: how far apart two are (WCAG 2), and one made light enough to be read on another. */

/** From 1, the same, to 21, black on white. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Mixed with white until it has the contrast asked for against `ground`, in steps of a twentieth. */
export function lighten(color: string, ground: string, enough: number): string {
  for (let white = 0; white < 1; white += 0.05) {
    const mixed = `#${channels(color)
      .map((channel) => Math.round(channel + (255 - channel) * white))
      .map((channel) => channel.toString(16).padStart(2, '0'))
      .join('')}`;
    if (contrast(mixed, ground) >= enough) return mixed;
  }
  return '#ffffff';
}

function luminance(color: string): number {
  const [red, green, blue] = channels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
