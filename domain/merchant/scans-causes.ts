import type { Causes } from '../causes.ts'
import type { ScanCommand, ScanEvent, scans } from './scans.ts'

export const scanCauses: Causes<ScanCommand, ScanEvent, (typeof scans)['initial']> = {
  ShortlinkScanned: ({ tokenDigest, ...scan }, { at }) => [
    { type: 'RecordScan', scan: { ...scan, scannedAt: at }, tokenDigest },
  ],
  ScanAwaited: (listener, { at }) => [{ type: 'AwaitScan', at, listener }],
  ScanMatched: () => 'a scan is matched when it is made, awaited or given up, not later',
  MatchConfirmed: ({ tid, scan }) => [{ type: 'ConfirmMatch', tid, scan }],
  ScanAwaitingEnded: ({ tid }, { at }) => [{ type: 'EndAwaiting', at, tid }],
}
