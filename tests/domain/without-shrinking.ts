import fc from 'fast-check'

/** Mutation testing only needs to know that a property fails, not the smallest example. */
fc.configureGlobal({ endOnFailure: true })
