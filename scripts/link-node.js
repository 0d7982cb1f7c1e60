/**
 * npm scripts run the Node of our optional dependencies, through its link in `node_modules/.bin`. npm 10 removes the
 * package for the other processor together with that link, because both packages name it. This restores the link. It
 * runs before there is a Node that reads TypeScript.
 */
import { existsSync, symlinkSync } from 'node:fs';

const link = 'node_modules/.bin/node';
const target = `node-${process.platform}-${process.arch}/bin/node`;
if (existsSync(`node_modules/${target}`) && !existsSync(link)) symlinkSync(`../${target}`, link);
