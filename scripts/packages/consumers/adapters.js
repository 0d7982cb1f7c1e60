/** The guards without a framework installed: no write runs, because no service is reachable. */
import { guardTool } from '@writecheck/adapters/ai-sdk';
import { preToolUse } from '@writecheck/adapters/claude';
import { guardCall } from '@writecheck/adapters/guard';
import { readMapping, toolMapOf } from '@writecheck/adapters/mapping';
import { guardTool as guardFunctionTool } from '@writecheck/adapters/openai-agents';
import { createClient } from '@writecheck/client';

const client = createClient({ apiKey: 'wck_dev_none', baseUrl: 'http://127.0.0.1:1', timeoutMs: 200 });
const intent = () => ({ system: 'crm', operation: 'contact.update' });
const ran = [];
const guarded = guardTool({ execute: () => ran.push('ai') }, { name: 't', client, intent });
const error = await guarded.execute({}, {}).catch((thrown) => thrown.name);
const tool = guardFunctionTool({ name: 't', invoke: async () => ran.push('openai') }, { client, intent });
const said = await tool.invoke(undefined, '{}');
const { mapping } = readMapping({ write: { t: { intent: intent() } } });
const hook = preToolUse({ client, ...toolMapOf(mapping, '.') });
const output = await hook({ hook_event_name: 'PreToolUse', tool_name: 't', tool_input: {} });
const call = await guardCall({ client }, { tool: 't', makeIntent: intent, run: () => ran.push('call') });
console.log(
  JSON.stringify({
    ran,
    error,
    said,
    kind: call.kind,
    denied: output.hookSpecificOutput.permissionDecision,
  }),
);
