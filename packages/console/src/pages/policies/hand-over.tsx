/** For an author whose change only an owner may apply: a link that opens it in the owner's editor. */
import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../../components/copy-button.tsx';
import { download } from '../../components/download.ts';
import { useSession } from '../../state/session.ts';
import { handOverLink } from './hand-over-link.ts';

export function HandOver({ text, message }: { readonly text: string; readonly message: string }) {
  const by = useSession()?.person?.name ?? '';
  /** Undefined until it is known, null if no link can hold the text. */
  const [link, setLink] = useState<string | null | undefined>(undefined);
  useEffect(() => {
    // A browser without compression makes no link.
    handOverLink(text, { by, message }).then(setLink, () => setLink(null));
  }, [text, by, message]);
  if (link === undefined) return null;
  return (
    <div class="hand-over">
      <h3>Send this to an owner</h3>
      {link === null ? (
        <p class="row">
          This change doesn’t fit in a link. Send the file; an owner pastes it here.
          <button type="button" onClick={() => download('policies.yaml', text, 'application/yaml')}>
            Download
          </button>
        </p>
      ) : (
        <>
          <p>
            Only an owner can confirm this. Send them this link yourself: Writecheck notifies nobody. It opens
            your change and your reason in their editor.
          </p>
          <CopyButton text={link} what="link for an owner" kind="primary" />
          <p class="quiet small-text">
            Once they apply it, it’s under Revisions. Your draft stays in this tab.
          </p>
        </>
      )}
    </div>
  );
}
