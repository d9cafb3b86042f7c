import type { Terminal } from './terminal.js';

/**
 * Shows that long work is going on: a moving line for a person, one plain line otherwise.
 * `say` adds a lasting line in between. The outcome of the work passes through untouched.
 */
export async function progress<T>(
  terminal: Terminal,
  label: string,
  work: (say: (line: string) => void) => Promise<T>,
): Promise<T> {
  if (!terminal.watched) {
    terminal.note(`${label} …`);
    return work((line) => terminal.note(line));
  }
  let frame = 0;
  const draw = () => terminal.redraw(`${FRAMES[frame++ % FRAMES.length]} ${label} …`);
  draw();
  const timer = setInterval(draw, FRAME_MS);
  try {
    return await work((line) => {
      terminal.redraw('');
      terminal.note(line);
      draw();
    });
  } finally {
    clearInterval(timer);
    terminal.redraw('');
  }
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;
