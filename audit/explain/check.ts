/** The result of one check. `holds` is null if it could not be checked. */
export type Check = { readonly holds: boolean | null; readonly says: string }
