import { mirrorBody } from '@campaign-mirror/adapters-http';
import {
  type AddressFault,
  type HostDenylist,
  type MirrorAddress,
  mirrorAddress,
} from '@campaign-mirror/domain';
import { Command } from 'commander';
import { campaignArgument, keyArgument, lifeArgument, nameArgument, ownerArgument } from './arguments.ts';
import { ClearError } from './clear-error.ts';
import { actOn, migrateOnly } from './command-database.ts';
import { demonstrationOwners } from './demonstration.ts';

const json = '--json';
const asJson = 'answer with one line of JSON';

/** The operator's commands. */
export function commands(): Command {
  const program = new Command('campaign-mirror')
    .description(
      'Campaigns, mirrors and access keys, in the database of DATABASE_URL or the embedded one of DATA_DIR.',
    )
    .exitOverride()
    .showHelpAfterError('(add --help to see what there is)');
  addCampaignCommands(program.command('campaign').description('campaigns'));
  addMirrorCommands(program.command('mirror').description('mirrors of campaigns'));
  addKeyCommands(program.command('key').description('access keys'));
  addDemonstrationCommands(program.command('demo').description('the demonstration set'));
  program
    .command('migrate')
    .description(
      'bring the schema up to date and give the database roles their rights, as the owner of the schema',
    )
    .action(async () => {
      await migrateOnly();
      console.log('The schema is up to date.');
    });
  return program;
}

function addCampaignCommands(campaign: Command): void {
  campaign
    .command('create')
    .description('create a campaign')
    .requiredOption('--owner <n>', 'whom it belongs to', ownerArgument)
    .option('--default', "make it the owner's default campaign, whose mirror can not be set")
    .option('--name <name>', 'its name', nameArgument)
    .option(json, asJson)
    .action(async ({ owner, default: isDefault = false, name, json }) => {
      const made = await actOn(({ campaigns }) => campaigns.createCampaign({ owner, isDefault, name }));
      if (made.kind === 'owner-has-default') {
        throw new ClearError(`the owner ${owner} has a default campaign already: campaign ${made.id}`);
      }
      console.log(
        json ? JSON.stringify({ id: made.id }) : `Campaign ${made.id} was created for the owner ${owner}.`,
      );
    });
}

function addMirrorCommands(mirror: Command): void {
  mirror
    .command('create')
    .description('create the mirror of a campaign')
    .argument('<campaign>', 'the campaign', campaignArgument)
    .requiredOption('--target-url <url>', 'the address that it points to')
    .option(json, asJson)
    .action(async (campaign, { targetUrl, json }) => {
      const made = await actOn(({ campaigns }, { MIRROR_HOST_DENYLIST }) =>
        campaigns.createMirror(campaign, acceptable(targetUrl, MIRROR_HOST_DENYLIST)),
      );
      if (made.kind === 'campaign-not-found') throw new ClearError(`there is no campaign ${campaign}`);
      if (made.kind === 'mirror-exists')
        throw new ClearError(`the campaign ${campaign} has a mirror already`);
      console.log(json ? mirrorBody(made.mirror) : `The mirror of campaign ${campaign} was created.`);
    });
}

function addKeyCommands(key: Command): void {
  key
    .command('issue')
    .description('issue an access key; it is shown this once, on standard output')
    .requiredOption('--owner <n>', 'whose campaigns it may change', ownerArgument)
    .requiredOption('--name <name>', 'what it is for', nameArgument)
    .option('--expires-in <time>', 'how long it lives: 1s, 30m, 12h, 90d or never', lifeArgument, undefined)
    .option(json, asJson)
    .action(async ({ owner, name, expiresIn, json }) => {
      const issued = await actOn(({ keys }) => keys.issue({ owner, name, ...(expiresIn && { expiresIn }) }));
      if (!json) console.error(`Key ${issued.id} of the owner ${owner}. It can not be shown again:`);
      console.log(json ? JSON.stringify(issued) : issued.key);
    });
  key
    .command('revoke')
    .description('revoke an access key: it is refused from now on')
    .argument('<id>', 'the number of the key', keyArgument)
    .option(json, asJson)
    .action(async (id, { json }) => {
      if (!(await actOn(({ keys }) => keys.revoke(id)))) throw new ClearError(`there is no key ${id}`);
      console.log(json ? JSON.stringify({ id, revoked: true }) : `Key ${id} is revoked.`);
    });
}

function addDemonstrationCommands(demo: Command): void {
  demo
    .command('remove')
    .description('delete the campaigns of the demonstration set and revoke its key')
    .option(json, asJson)
    .action(async ({ json }) => {
      const campaigns = await actOn(({ demonstration }) => demonstration.remove(demonstrationOwners));
      console.log(
        json ? JSON.stringify({ campaigns }) : `The demonstration set is removed: ${campaigns} campaigns.`,
      );
    });
}

const faults: Record<AddressFault, string> = {
  'too-long': 'it must not be longer than 2048 characters',
  'not-a-url':
    'it must be a URL such as https://example.com/, without credentials, white space or a backslash',
  'denied-host': 'MIRROR_HOST_DENYLIST denies its host',
};

function acceptable(text: string, denied: HostDenylist): MirrorAddress {
  const address = mirrorAddress(text, denied);
  if (typeof address !== 'string') throw new ClearError(`--target-url: ${faults[address.fault]}`);
  return address;
}
