import fc from 'fast-check'

/** For mutation testing: that a property fails is all that is asked, not the smallest example. */
fc.configureGlobal({ endOnFailure: true })
