"""Words that two tellings of one task may exchange, and words that say nothing about it."""

from __future__ import annotations

_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
_TENS = """
thirty 30 forty 40 fifty 50 sixty 60 seventy 70 eighty 80 ninety 90 hundred 100 thousand 1000
"""
_STOP = """
a about after again all also altogether an and another answer any are as assume at be been being
both but by calculate can certain combined compute could d denote determine did do does each
evaluate every exactly express find following for form from give given gives had has have he her
him his how i if in into is it its just know let ll many may me more most much must my no now
number numbers of on ones only or other our out over please problem quantity question s same say
she should show so solve some such suppose t than that the their them then there these they this
those to total up us value was we were what when where which while who whole whose will with would
you your
"""
_STOCK = """
answer box boxed coprime common decimal denominator expressed express final fraction fractions form
integer integers irreducible least lowest nearest numerator place please positive prime primes put
radical rational reason relatively result round rounded simplest simplified square free step steps
terms think written divisible explain
"""
_SYNONYMS = """
sum add adds added adding
average mean
largest greatest maximum maximal biggest highest
smallest least minimum minimal lowest worst
probability likely likelihood chance
chosen picked selected choose pick select chooses picks selects choices
rolled thrown tossed rolls throws tosses
cost costs price priced pays pay paid
speed fast velocity rate
distance far
fill fills filled full
divisible multiples multiple divides divide divided divisor division
less below fewer under
greater above exceeds exceed longer
consecutive row successive
begin begins starts start started
closed shut
buy buys bought purchase purchases purchased
sell sells sold
leave leaves left remain remains remaining remainder
equal equals equivalent
real reals
minute minutes min
kilometre kilometres kilometer kilometers km
metre metres meter meters
centimetre centimetres centimeter centimeters cm
child children kids kid
month months
drawn taken
"""

STOP = frozenset(_STOP.split())
STOCK = frozenset(_STOCK.split())
"""Words of the sentences that say how to write an answer."""
SYNONYMS = {
    word: group.split()[0] for group in _SYNONYMS.strip().splitlines() for word in group.split()
}
"""The first word of its group for each word of a group."""
SPOKEN = {"times": "*", "plus": "+", "minus": "-", "divided": "/", "equals": "="}
"""Operators in words."""
NUMBER_WORDS = {word: str(number) for number, word in enumerate(_NUMBERS.split())} | dict(
    zip(_TENS.split()[::2], _TENS.split()[1::2], strict=True)
)
