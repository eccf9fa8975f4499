import type {
  AddressFault,
  Host,
  HostMoveFault,
  MirrorMoved,
  OperatorRefusal,
} from '@campaign-mirror/domain';
import { ClearError } from '../terminal/clear-error.ts';

/** Why a move is invalid, and what to do instead. */
export function moveRefused(fault: HostMoveFault, from: Host, to: Host): ClearError {
  const faults: Readonly<Record<HostMoveFault, string>> = {
    'no-names-below': 'an IP address has no names below it: leave out --subdomains',
    'matches-itself': `${to.written} matches ${from.written}, so a mirror that was moved would be moved again: use another --to-host`,
    'denied-host': `--to-host: MIRROR_HOST_DENYLIST denies ${to.written}`,
  };
  return new ClearError(faults[fault], fault === 'no-names-below' ? 'usage' : 'refused');
}

const refusals: Readonly<Record<OperatorRefusal, string>> = {
  'mirror-not-created': 'it was not created in the settings',
  'default-campaign': 'it is that of a default campaign; --include-default moves it, too',
};

const faults: Readonly<Record<AddressFault, string>> = {
  'too-long': 'its address would be longer than 2048 characters',
  'not-a-url': 'the new address would not be a valid mirror address',
  'denied-host': 'MIRROR_HOST_DENYLIST denies the host that it would have',
};

type NotMoved = Exclude<MirrorMoved, { kind: 'moved' | 'would-move' }>;

/** Why a mirror was not moved. */
export function reasonOf(mirror: NotMoved): string {
  if (mirror.kind === 'refused') return refusals[mirror.because];
  if (mirror.kind === 'invalid') return faults[mirror.because];
  if (mirror.kind === 'held') return 'another transaction holds it';
  return 'the campaign or its mirror was changed meanwhile';
}
