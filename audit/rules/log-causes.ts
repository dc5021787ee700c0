import type { Causes } from './causes.ts'
import type { ClockEvent, Clock, ClockCommand } from '../../domain/clock.ts'
import type {
  InstallationEvent,
  Installation,
  InstallationCommand,
} from '../../domain/installation.ts'
import type {
  CheckpointEvent,
  CheckpointCommand,
  CheckpointsOfDay,
} from '../../domain/transparency/checkpoints.ts'

export const clockCauses: Causes<ClockCommand, ClockEvent, Clock> = {
  ClockAdvanced: ({ aheadBy }, { at, state }) => [
    { type: 'AdvanceClock', machine: at - state.aheadBy, by: aheadBy - state.aheadBy },
  ],
}

export const installationCauses: Causes<InstallationCommand, InstallationEvent, Installation> = {
  InstallationMade: ({ key }) => [{ type: 'MakeInstallation', key }],
  VaultChosen: ({ vault }) => [{ type: 'ChooseVault', vault }],
  ProductionBegun: () => [{ type: 'BeginProduction' }],
  VaultRewrapped: ({ keyId }) => [{ type: 'NoteRewrap', keyId }],
  IdTokenKeyAdded: (data) => [{ type: 'NoteIdTokenKey', data }],
  LossAccepted: (data) => [{ type: 'AcceptLoss', data }],
}

export const checkpointCauses: Causes<CheckpointCommand, CheckpointEvent, CheckpointsOfDay> = {
  CheckpointSigned: (data) => [{ type: 'SignCheckpoint', ...data }],
  CheckpointCosigned: (data) => [{ type: 'AddCosignature', ...data }],
}
