/** Starts the page. */
import './state/arrival.ts';
import './state/signed-in-person.ts';
import { render } from 'preact';
import { App } from './app.tsx';
import { watchIdleness } from './state/session.ts';
import { applyTheme } from './state/theme.ts';

applyTheme();
watchIdleness();
render(<App />, document.getElementById('app')!);
