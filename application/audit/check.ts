/** One thing that was looked at. `holds` is null where it could not be. */
export type Check = { readonly holds: boolean | null; readonly says: string }
