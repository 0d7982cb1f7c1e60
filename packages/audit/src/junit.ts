/** JUnit XML, which CI systems show beside a change. */
export interface JunitCase {
  readonly name: string;
  readonly place?: string;
  readonly seconds?: number;
  /** Null if it passed; its first line is the short message. */
  readonly failure: { readonly message: string; readonly text: string } | null;
  /** Why it could not be judged. */
  readonly error?: string;
}

export function junit(suite: string, cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== null).length;
  const errors = cases.filter(({ error }) => error !== undefined).length;
  const isTimed = cases.every(({ seconds }) => seconds !== undefined);
  const time = timeOf(isTimed ? cases.reduce((sum, { seconds = 0 }) => sum + seconds, 0) : undefined);
  const counts = `tests="${cases.length}" failures="${failures}" errors="${errors}"${time}`;
  const rendered = cases.map(({ name, place, seconds, failure, error }) => {
    const file = place === undefined ? '' : ` file="${xml(place)}"`;
    const head = `    <testcase name="${xml(name)}" classname="${xml(suite)}"${file}${timeOf(seconds)}`;
    const found =
      failure === null
        ? error !== undefined && `<error message="${xml(error)}"/>`
        : `<failure message="${xml(failure.message)}">${xml(failure.text)}</failure>`;
    return found ? `${head}>\n      ${found}\n    </testcase>` : `${head}/>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(suite)}" ${counts}>`,
    ...rendered,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function timeOf(seconds: number | undefined): string {
  return seconds === undefined ? '' : ` time="${seconds.toFixed(6)}"`;
}

const XML_ESCAPES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

function xml(text: string): string {
  return text
    .replaceAll(/[&<>"\n]/g, (character) => XML_ESCAPES[character]!)
    .replaceAll(/[^\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '�');
}
