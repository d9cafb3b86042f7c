import { useEffect, useState } from 'react';

/** Seconds that run down to 0 by the clock, so that a laptop that slept does not count on from where it was. */
export function useCountdown(start: number): [number, (seconds: number) => void] {
  const [until, setUntil] = useState(() => Date.now() + start * 1000);
  const [left, setLeft] = useState(start);
  useEffect(() => {
    const tick = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [until]);
  return [left, (seconds) => setUntil(Date.now() + Math.ceil(seconds) * 1000)];
}
