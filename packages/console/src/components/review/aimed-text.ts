/** Detects text that addresses the reviewer or tells them to skip the review, in several languages. */

/** Words that follow each other, with at most `GAP` others between; each is the beginning of a word. */
const SEQUENCES: readonly (readonly (readonly string[])[])[] = [
  [
    words(
      'ignor disregard forget overrid bypass missacht vergiss umgeh oubli contourn omit olvid elud zignor pomiń obejd игнор забуд обойд αγνο παράκαμ yoksay görmezden',
    ),
    words(
      'instruct rule polic check control warning guideline anweisung regel prüf vorgab warn règle consigne contrôl avertiss instrucc regla norma aviso advertenc instrukc zasad ostrzeż kontrol talimat kural uyarı инструкц правил предупрежд проверк οδηγί κανόν προειδοπ έλεγχ',
    ),
  ],
  [
    words(
      'approv accept freigeb freigab genehmig approuv valide aprueb aprob zatwierd akcept onayla одобр утверд εγκρίν εγκρίν',
    ),
    words('without ohne sans sin bez без χωρίς kontrol'),
    words(
      'check verif review question ask look prüf rückfrag nachfrag vérif contrôl question verif revis pregunt sprawdz weryfik pyta провер вопрос έλεγχ ερωτ etmeden',
    ),
  ],
  [
    words('you vous sie usted debe musisz вы πρέπει'),
    words('must should have müssen devez debe zatwierd должн εγκρίν'),
    words('approv freigeb genehmig approuv valider aprob zatwierd одобр εγκρίν'),
  ],
];
const GAP = 4;

/** Parts of a text; for what is said in one way only, and for languages without spaces. */
const PHRASES = `
you are now
you are an ai
you are the reviewer
as an ai
dear reviewer
note to reviewer
to the reviewer
attention reviewer
reviewer:
system:
assistant:
system prompt
<|im_start
[inst]
### instruction
new instructions
do not verify
don't verify
never verify
do not flag
do not escalate
don't flag
don't escalate
no review needed
no review is needed
no review required
skip the review
skip this review
skip the check
nicht prüfen
nicht nachfragen
keine rückfragen
ne vérifiez pas
ne pas vérifier
no verifique
no pregunte
nie sprawdzaj
nie weryfikuj
kontrol etme
onaylamalısınız
önceki talimat
не проверяй
μην ελέγξ
指示を無視
確認せずに承認
確認は不要
必ず承認
忽略
无需审核
تجاهل
يجب أن توافق
لا تتحقق
دون مراجعة
`
  .trim()
  .split('\n');

function addressesReviewer(text: string): boolean {
  const said = text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll('’', "'")
    .toLowerCase();
  if (PHRASES.some((phrase) => said.includes(phrase))) return true;
  const spoken = said.split(/[^\p{L}\p{M}\p{N}']+/u);
  return SEQUENCES.some((steps) => spoken.some((_, at) => follows(spoken, at, steps)));
}

/** The range of the matching sentences; the whole text if only several together match. Null if none matches. */
export function aimedPart(text: string): { readonly from: number; readonly to: number } | null {
  if (!addressesReviewer(text)) return null;
  let [from, to] = [-1, 0];
  for (const { 0: sentence, index } of text.matchAll(/[^.!?。！？\n]+[.!?。！？\n]*/gu)) {
    if (!addressesReviewer(sentence)) continue;
    if (from < 0) from = index + sentence.length - sentence.trimStart().length;
    to = index + sentence.trimEnd().length;
  }
  return from < 0 ? { from: 0, to: text.length } : { from, to };
}

function follows(spoken: readonly string[], from: number, steps: SequenceSteps): boolean {
  let at = from;
  for (const [step, stems] of steps.entries()) {
    const last = step === 0 ? from : at + GAP;
    while (at <= last && !stems.some((stem) => spoken[at]?.startsWith(stem))) at += 1;
    if (at > last) return false;
    at += 1;
  }
  return true;
}

type SequenceSteps = (typeof SEQUENCES)[number];

function words(text: string): readonly string[] {
  return text.split(' ');
}
