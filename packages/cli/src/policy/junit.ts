/** JUnit XML, which CI systems show beside a change. */
export interface JunitCase {
  readonly name: string;
  readonly place?: string;
  readonly seconds: number;
  /** Null if it passed; its first line is the short message. */
  readonly failure: { readonly message: string; readonly text: string } | null;
}

export function junit(suite: string, cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== null).length;
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0);
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" time="${seconds.toFixed(6)}"`;
  const rendered = cases.map(({ name, place, seconds: time, failure }) => {
    const file = place === undefined ? '' : ` file="${xml(place)}"`;
    const head = `    <testcase name="${xml(name)}" classname="${xml(suite)}"${file} time="${time.toFixed(6)}"`;
    if (failure === null) return `${head}/>`;
    return `${head}>\n      <failure message="${xml(failure.message)}">${xml(failure.text)}</failure>\n    </testcase>`;
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
