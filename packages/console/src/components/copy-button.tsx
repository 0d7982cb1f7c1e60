/** Copies a text and confirms it. */
import { useEffect, useState } from 'preact/hooks';

const SAID_FOR_MS = 2_000;

/** The small one stands beside what it copies; `primary` says what it copies itself. */
export function CopyButton({
  text,
  what,
  kind = 'small',
}: {
  readonly text: string;
  readonly what: string;
  readonly kind?: 'small' | 'primary';
}) {
  const [said, setSaid] = useState<'copied' | 'failed' | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await copyText(text)) ? 'copied' : 'failed');
  const word = said === 'copied' ? 'Copied' : said === 'failed' ? 'Not copied' : 'Copy';
  return (
    <span class="copy">
      <button type="button" class={kind} onClick={copy} aria-label={`${word} ${what}`}>
        {kind === 'small' ? word : `${word} ${what}`}
      </button>
      <span class="hidden" role="status">
        {said === 'copied' ? `${what} copied` : said === 'failed' ? `${what} could not be copied` : ''}
      </span>
    </span>
  );
}

/** The clipboard API needs a secure origin; elsewhere the old `copy` command still works. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'hidden';
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    return isCopied;
  }
}
