/** For an author whose change only an owner may apply: a link that opens it in the owner's editor. */

import { success } from '../../api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { download } from '../../components/download.ts';
import { useSession } from '../../state/session.ts';
import { useKept, useLoad } from '../../use-load.ts';
import { handOverLink } from './hand-over-link.ts';

export function HandOver({ text, message }: { readonly text: string; readonly message: string }) {
  const by = useSession()?.person?.name ?? '';
  const load = useLoad(JSON.stringify([text, by, message]), async () =>
    // A browser without compression makes no link.
    success({ link: await handOverLink(text, { by, message }).catch(() => null) }),
  );
  const made = useKept(load).value;
  if (made === null) return null;
  /** Null if no link can hold the text. */
  const { link } = made;
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
