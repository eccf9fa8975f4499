import { campaignArgument, ownerArgument } from '../terminal/arguments.ts';
import type { Call } from '../terminal/call.ts';
import { leaf } from '../terminal/leaf.ts';
import { noSuchCampaign, ownerHasDefault } from '../words/refusals.ts';
import type { Operator } from './operator.ts';

export function transfer(call: Call, operator: Operator) {
  return leaf({
    name: 'transfer',
    does: 'give a campaign to another owner; keys of the previous owner can no longer set its mirror',
    examples: ['campaign transfer 7 --to 43'],
  })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .requiredOption('--to <owner>', 'the new owner; required', ownerArgument)
    .action(async (id, { to, json }) => {
      const done = await operator.administering(({ settings }) => settings.transfer(id, to));
      if (done.kind === 'campaign-not-found') throw noSuchCampaign(id);
      if (done.kind === 'owner-has-default') throw ownerHasDefault(done);
      const changed = done.kind === 'transferred';
      await call.output.answer(
        json,
        { id, owner_id: to, owner_id_before: changed ? done.from : to, changed },
        changed
          ? `Campaign ${id} belongs to the owner ${to} now; before, to the owner ${done.from}.`
          : `Campaign ${id} belongs to the owner ${to} already: nothing was done.`,
      );
    });
}

export function setDefault(call: Call, operator: Operator) {
  return defaultFlag(call, operator, true, {
    name: 'set-default',
    does: "make a campaign its owner's default one, whose mirror cannot be set",
    now: "its owner's default one",
  });
}

export function unsetDefault(call: Call, operator: Operator) {
  return defaultFlag(call, operator, false, {
    name: 'unset-default',
    does: 'make a default campaign an ordinary one, whose mirror can be set',
    now: 'an ordinary one',
  });
}

function defaultFlag(
  call: Call,
  operator: Operator,
  isDefault: boolean,
  { name, does, now }: { name: string; does: string; now: string },
) {
  return leaf({ name, does, examples: [`campaign ${name} 7`] })
    .argument('<campaign>', 'the campaign', campaignArgument)
    .action(async (id, { json }) => {
      const done = await operator.administering(({ settings }) => settings.setDefault(id, isDefault));
      if (done.kind === 'campaign-not-found') throw noSuchCampaign(id);
      if (done.kind === 'owner-has-default') throw ownerHasDefault(done);
      const changed = done.kind === 'changed';
      await call.output.answer(
        json,
        { id, owner_id: done.ownerId, is_default: isDefault, changed },
        changed ? `Campaign ${id} is ${now} now.` : `Campaign ${id} is ${now} already: nothing was done.`,
      );
    });
}
