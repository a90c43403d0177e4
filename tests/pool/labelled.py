"""Tasks written for these tests, each with its own variants and look-alikes.

Of every task: `paraphrase` (other words), `reordered` (its clauses in another order), `names`
(people and things renamed), `numbers` (other numbers, with their answer) and `lookalike` (another
task in much the same words, with its answer). `FORMULAS` are pairs of spellings, `SHORT` are
prompts of a few words.
"""

from __future__ import annotations

from typing import NamedTuple


class Task(NamedTuple):
    text: str
    answer: str
    paraphrase: str
    reordered: str
    names: tuple[tuple[str, str], ...]
    numbers: tuple[tuple[str, str], ...]
    other_answer: str
    lookalike: str
    lookalike_answer: str

    def renamed(self) -> str:
        return swap(self.text, self.names)

    def renumbered(self) -> str:
        return swap(self.text, self.numbers)


def swap(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for old, new in pairs:
        assert old in text, (old, text)
        text = text.replace(old, new)
    return text


TASKS = [
    Task(
        "A bakery sells muffins in boxes of 6. On Saturday it sold 17 boxes in the morning and 8 "
        "boxes in the afternoon. How many muffins did the bakery sell on Saturday?",
        "150",
        "Muffins come 6 to a box at a bakery. If 17 boxes were sold on Saturday morning and 8 more "
        "that afternoon, what is the number of muffins sold that day?",
        "On Saturday a bakery sold 17 boxes of muffins in the morning and 8 boxes in the "
        "afternoon. It sells muffins in boxes of 6. How many muffins did it sell on Saturday?",
        (("bakery", "grocer"), ("muffins", "oranges")),
        (("17", "23"), ("boxes of 6", "boxes of 4")),
        "124",
        "A bakery sells muffins in boxes of 6. On Saturday it sold 17 boxes in the morning and 8 "
        "boxes in the afternoon. How many more muffins did it sell in the morning than in the "
        "afternoon?",
        "54",
    ),
    Task(
        "Marta rides her bicycle to school at 15 km/h and walks back at 5 km/h along the same "
        "road. The whole trip takes her 48 minutes. How far is the school, in kilometres?",
        "3",
        "Going to school by bicycle Marta manages 15 km/h; on foot along the same road home she "
        "does 5 km/h. Both ways together last 48 minutes. What is the distance to the school in "
        "kilometres?",
        "The whole trip to school and back takes Marta 48 minutes. She rides her bicycle there at "
        "15 km/h and walks back along the same road at 5 km/h. How far, in kilometres, is the "
        "school?",
        (("Marta", "Yusuf"), ("her", "his"), ("school", "library")),
        (("15", "20"), ("48", "75")),
        "5",
        "Marta rides her bicycle to school at 15 km/h and walks back at 5 km/h along the same "
        "road. The whole trip takes her 48 minutes. How many minutes does she walk?",
        "36",
    ),
    Task(
        "The sum of three consecutive odd integers is 87. What is the largest of the three "
        "integers?",
        "31",
        "Three odd integers in a row add up to 87. Find the greatest of them.",
        "What is the largest of three consecutive odd integers whose sum is 87?",
        (("integers", "numbers"),),
        (("87", "129"),),
        "45",
        "The product of three consecutive odd integers is 315. What is the largest of the three "
        "integers?",
        "9",
    ),
    Task(
        "A rectangular garden is 4 metres longer than it is wide. Its perimeter is 56 metres. "
        "What is the area of the garden in square metres?",
        "192",
        "The length of a rectangular garden exceeds its width by 4 metres, and 56 metres of fence "
        "go exactly around it. Find the garden's area in square metres.",
        "The perimeter of a rectangular garden is 56 metres. It is 4 metres longer than it is "
        "wide. What is its area in square metres?",
        (("garden", "courtyard"),),
        (("56", "64"), ("4 metres", "6 metres")),
        "247",
        "A rectangular garden is 4 metres longer than it is wide. Its area is 96 square metres. "
        "What is the perimeter of the garden in metres?",
        "40",
    ),
    Task(
        "How many positive integers less than 500 are divisible by both 6 and 15?",
        "16",
        "Count the positive integers below 500 that are multiples of 6 as well as of 15.",
        "Both 6 and 15 divide how many of the positive integers less than 500?",
        (("positive integers", "natural numbers"),),
        (("500", "700"), ("15", "21")),
        "16",
        "How many positive integers less than 500 are divisible by 6 but not by 15?",
        "67",
    ),
    Task(
        "Tickets for a school play cost 7 dollars for adults and 4 dollars for children. In all "
        "210 tickets were sold for 1110 dollars. How many adult tickets were sold?",
        "90",
        "For a school play an adult pays 7 dollars and a child 4 dollars. The 210 tickets sold "
        "brought in 1110 dollars. Determine the number of tickets sold to adults.",
        "In all 210 tickets for a school play were sold for 1110 dollars. Tickets cost 4 dollars "
        "for children and 7 dollars for adults. How many adult tickets were sold?",
        (("school play", "puppet show"),),
        (("1110", "1200"),),
        "120",
        "Tickets for a school play cost 7 dollars for adults and 4 dollars for children. In all "
        "210 tickets were sold for 1110 dollars. How many tickets for children were sold?",
        "120",
    ),
    Task(
        "A jar holds 5 red, 7 blue and 8 green marbles. Two marbles are drawn at random without "
        "replacement. What is the probability that both are green?",
        "14/95",
        "From a jar with 5 red marbles, 7 blue ones and 8 green ones, two are taken out at random, "
        "the first not being put back. How likely is it that both marbles are green?",
        "Two marbles are drawn at random without replacement from a jar that holds 8 green, 5 red "
        "and 7 blue marbles. What is the probability that both are green?",
        (("jar", "bag"), ("marbles", "beads")),
        (("8 green", "9 green"), ("5 red", "4 red")),
        "18/95",
        "A jar holds 5 red, 7 blue and 8 green marbles. Two marbles are drawn at random without "
        "replacement. What is the probability that both are red?",
        "1/19",
    ),
    Task(
        "Pipe A fills a tank in 12 hours and pipe B fills it in 18 hours. Both are opened "
        "together, but pipe A is closed after 4 hours. How many more hours does pipe B need to "
        "fill the tank?",
        "8",
        "It takes pipe A 12 hours and pipe B 18 hours to fill a certain tank. They start together; "
        "when 4 hours have passed pipe A is shut. For how many further hours must pipe B run "
        "until the tank is full?",
        "Both pipe A and pipe B are opened together to fill a tank, but pipe A is closed after 4 "
        "hours. Pipe B fills the tank in 18 hours and pipe A in 12 hours. How many more hours does "
        "pipe B need to fill it?",
        (("tank", "pool"),),
        (("18", "24"), ("4 hours", "6 hours")),
        "6",
        "Pipe A fills a tank in 12 hours and pipe B empties it in 18 hours. Both are opened "
        "together. How many hours does it take to fill the tank?",
        "36",
    ),
    Task(
        "In triangle ABC the angle at A is 40 degrees and the angle at B is 75 degrees. The "
        "bisector of the angle at C meets AB at D. What is the measure of angle ADC in degrees?",
        "107.5",
        "Triangle ABC has angles of 40 degrees at A and 75 degrees at B. Let D be the point where "
        "the bisector from C hits AB. How many degrees does angle ADC measure?",
        "The bisector of the angle at C of triangle ABC meets AB at D. The angle at B is 75 "
        "degrees and the angle at A is 40 degrees. What is the measure of angle ADC in degrees?",
        (
            ("ABC", "PQR"),
            ("at A is", "at P is"),
            ("at B is", "at Q is"),
            ("at C meets AB at D", "at R meets PQ at S"),
            ("ADC", "PSR"),
        ),
        (("75", "80"),),
        "110",
        "In triangle ABC the angle at A is 40 degrees and the angle at B is 75 degrees. The "
        "altitude from C meets AB at D. What is the measure of angle ACD in degrees?",
        "50",
    ),
    Task(
        "A shop lowers the price of a coat by 20 percent and later raises the new price by 15 "
        "percent. The coat now costs 138 dollars. What was its original price in dollars?",
        "150",
        "After a coat was reduced by 20 percent and afterwards marked up by 15 percent from there, "
        "it is sold for 138 dollars. How many dollars did the coat cost at first?",
        "A coat now costs 138 dollars. A shop had lowered its price by 20 percent and later raised "
        "the new price by 15 percent. What was its original price in dollars?",
        (("coat", "jacket"), ("shop", "store")),
        (("138", "184"),),
        "200",
        "A shop raises the price of a coat by 20 percent and later lowers the new price by 15 "
        "percent. The coat now costs 204 dollars. What was its original price in dollars?",
        "200",
    ),
    Task(
        "Find the remainder when $7^{2023}$ is divided by $10$.",
        "3",
        "What remainder does $7^{2023}$ leave on division by $10$?",
        "When $7^{2023}$ is divided by $10$, find the remainder.",
        (("Find the", "Determine the"),),
        (("2023", "2026"),),
        "9",
        "Find the number of digits of $7^{2023}$ when written in base $10$.",
        "1710",
    ),
    Task(
        "Let $f(x)=x^2-6x+11$. What is the smallest value that $f(x)$ takes for real $x$?",
        "2",
        "For real $x$, determine the minimum of the function $f(x)=x^2-6x+11$.",
        "What is the smallest value that $f(x)$ takes for real $x$, if $f(x)=x^2-6x+11$?",
        (("f(x)", "g(x)"),),
        (("6x+11", "8x+21"),),
        "5",
        "Let $f(x)=x^2-6x+11$. What is the value of $f(f(3))$?",
        "3",
    ),
    Task(
        "Nadia is three times as old as her brother Omar. In 12 years she will be twice as old as "
        "he is then. How old is Nadia now?",
        "36",
        "Nadia's age is three times that of Omar, her brother. Twelve years from now it will be "
        "twice his age. What is Nadia's present age?",
        "In 12 years Nadia will be twice as old as her brother Omar is then. Now she is three "
        "times as old as he is. How old is Nadia now?",
        (("Nadia", "Ines"), ("Omar", "Pavel")),
        (("12", "15"),),
        "45",
        "Nadia is three times as old as her brother Omar. In 12 years she will be twice as old as "
        "he is then. How old is Omar now?",
        "12",
    ),
    Task(
        "A committee of 4 people is chosen from 6 women and 5 men. In how many ways can this be "
        "done if the committee must have at least 2 women?",
        "265",
        "From a group of 6 women and 5 men one picks 4 people as a committee, at least 2 of them "
        "women. Count the possible choices.",
        "In how many ways can a committee of 4 people be chosen, if it must have at least 2 women "
        "and is chosen from 5 men and 6 women?",
        (("women", "girls"), ("men", "boys")),
        (("6", "7"),),
        "371",
        "A committee of 4 people is chosen from 6 women and 5 men. In how many ways can this be "
        "done if the committee must have exactly 2 women?",
        "150",
    ),
    Task(
        "The average of five test scores is 82. After the lowest score is dropped, the average of "
        "the remaining four is 86. What was the lowest score?",
        "66",
        "Five tests were scored 82 on average. Without the worst of them, the mean of the other "
        "four is 86. Find the worst score.",
        "After the lowest of five test scores is dropped, the average of the remaining four is 86. "
        "The average of all five is 82. What was the lowest score?",
        (("test scores", "quiz marks"), ("score", "mark")),
        (("82", "78"),),
        "46",
        "The average of five test scores is 82. After the highest score is dropped, the average of "
        "the remaining four is 79. What was the highest score?",
        "94",
    ),
    Task(
        "A train 240 metres long crosses a bridge of 360 metres in 30 seconds. What is the speed "
        "of the train in kilometres per hour?",
        "72",
        "In 30 seconds a train whose length is 240 metres passes completely over a bridge 360 "
        "metres long. How fast is the train, in kilometres per hour?",
        "What is the speed, in kilometres per hour, of a train that crosses a bridge of 360 metres "
        "in 30 seconds and is 240 metres long?",
        (("bridge", "tunnel"),),
        (("360", "510"),),
        "90",
        "A train 240 metres long runs at 72 kilometres per hour. How many seconds does it take to "
        "cross a bridge of 360 metres?",
        "30",
    ),
    Task(
        "A sequence starts with 3 and 7, and each later term is the sum of the two before it. "
        "What is the eighth term of the sequence?",
        "115",
        "The first terms of a sequence are 3 and 7; from then on every term is what the two "
        "preceding terms add up to. Find term number eight.",
        "Each term of a sequence, after the first two, is the sum of the two before it. It starts "
        "with 3 and 7. What is its eighth term?",
        (("sequence", "list"),),
        (("3", "4"), ("7", "9")),
        "149",
        "A sequence starts with 3 and 7, and each later term is the product of the two before it. "
        "What is the fifth term of the sequence?",
        "64827",
    ),
    Task(
        "Solve the equation $\\sqrt{2x+9} = x - 3$ for real $x$.",
        "8",
        "Which real $x$ satisfies $\\sqrt{2x+9} = x - 3$?",
        "For real $x$, solve $\\sqrt{2x+9} = x - 3$.",
        (("x", "t"), ("Solve the equation $\\sqrt", "Solve the equation $\\sqrt")),
        (("2x+9", "2x+18"),),
        "9",
        "Solve the inequality $\\sqrt{2x+9} > x - 3$ for real $x$.",
        "[-9/2, 8)",
    ),
    Task(
        "Kofi has 48 coins, all of them dimes and quarters, worth 7.20 dollars together. How many "
        "quarters does he have?",
        "16",
        "The 48 coins in Kofi's pocket are only quarters and dimes, and they make 7.20 dollars. "
        "How many of them are quarters?",
        "Dimes and quarters worth 7.20 dollars together are all that Kofi has, 48 coins. How many "
        "quarters does he have?",
        (("Kofi", "Lena"), (" he ", " she ")),
        (("48", "60"),),
        "8",
        "Kofi has 48 coins, all of them dimes and quarters, worth 7.20 dollars together. How many "
        "dimes does he have?",
        "32",
    ),
    Task(
        "A cylinder has radius 3 cm and height 10 cm. It is filled with water to three fifths of "
        "its height. What is the volume of the water in cubic centimetres, in terms of pi?",
        "54pi",
        "Water stands in a cylinder of radius 3 cm and height 10 cm up to three fifths of the "
        "height. Give the water's volume in cubic centimetres as a multiple of pi.",
        "A cylinder is filled with water to three fifths of its height. It has height 10 cm and "
        "radius 3 cm. In terms of pi, what is the volume of the water in cubic centimetres?",
        (("cylinder", "can"),),
        (("radius 3", "radius 4"),),
        "96pi",
        "A cylinder has radius 3 cm and height 10 cm. What is its total surface area in square "
        "centimetres, in terms of pi?",
        "78pi",
    ),
    Task(
        "Out of 120 students, 70 study French, 55 study German and 15 study neither language. How "
        "many students study both languages?",
        "20",
        "In a year of 120 students there are 70 who learn French and 55 who learn German, while 15 "
        "learn neither. How many learn both?",
        "How many students study both languages, if 15 of 120 students study neither, 55 study "
        "German and 70 study French?",
        (("French", "Italian"), ("German", "Polish")),
        (("70", "75"),),
        "25",
        "Out of 120 students, 70 study French, 55 study German and 15 study neither language. How "
        "many students study French alone?",
        "50",
    ),
    Task(
        "Two fair dice are rolled. What is the probability that the sum of the numbers shown is a "
        "prime number?",
        "5/12",
        "When two fair dice are thrown, how likely is it that the numbers shown add up to a prime "
        "number?",
        "What is the probability that the sum of the numbers shown is prime when two fair dice are "
        "rolled?",
        (("dice", "cubes"),),
        (("Two", "Three"),),
        "73/216",
        "Two fair dice are rolled. What is the probability that the product of the numbers shown "
        "is even?",
        "3/4",
    ),
    Task(
        "A farmer has chickens and rabbits, 35 heads and 94 legs in all. How many rabbits does the "
        "farmer have?",
        "12",
        "Counting the chickens and rabbits of a farmer gives 35 heads and 94 legs. Find the number "
        "of rabbits.",
        "There are 94 legs and 35 heads on a farmer's rabbits and chickens. How many rabbits does "
        "the farmer have?",
        (("farmer", "breeder"), ("chickens", "ducks")),
        (("94", "110"),),
        "20",
        "A farmer has chickens and rabbits, 35 heads and 94 legs in all. How many chickens does "
        "the farmer have?",
        "23",
    ),
    Task(
        "Points $P=(1,2)$ and $Q=(7,10)$ are the ends of a diameter of a circle. What is the area "
        "of the circle?",
        "25\\pi",
        "A circle has the segment from $P=(1,2)$ to $Q=(7,10)$ as a diameter. Compute the area of "
        "this circle.",
        "What is the area of the circle of which the points $P=(1,2)$ and $Q=(7,10)$ are the ends "
        "of a diameter?",
        (("P=", "A="), ("Q=", "B=")),
        (("10", "18"),),
        "73\\pi",
        "Points $P=(1,2)$ and $Q=(7,10)$ are opposite corners of a rectangle with sides parallel "
        "to the axes. What is the area of the rectangle?",
        "48",
    ),
    Task(
        "A printer needs 9 minutes for 135 pages. A second printer is 5 pages per minute slower. "
        "How many minutes does the second printer need for 240 pages?",
        "24",
        "135 pages take one printer 9 minutes. Another prints 5 pages fewer each minute. In how "
        "many minutes is the other done with 240 pages?",
        "A second printer is 5 pages per minute slower than a first, which needs 9 minutes for 135 "
        "pages. How many minutes does the second printer need for 240 pages?",
        (("printer", "scanner"),),
        (("240", "310"),),
        "31",
        "A printer needs 9 minutes for 135 pages. A second printer is 5 pages per minute faster. "
        "How many minutes do both need together for 240 pages?",
        "48/7",
    ),
]

FORMULAS = [
    (
        r"Evaluate $\frac{3}{4}\cdot\left(\sqrt{16}+2^{3}\right)$.",
        "Evaluate 3/4 · (√16 + 2³).",
    ),
    (
        r"Let $\alpha$ and $\beta$ be the roots of $x^{2}-5x+3=0$. Find $\alpha^{2}+\beta^{2}$.",
        "Let α and β be the roots of x² − 5x + 3 = 0. Find α² + β².",
    ),
    (
        r"In $\triangle ABC$, $\angle A = 35^\circ$ and $\angle B \geq 90^{\circ}$. "
        r"What is the largest possible value of $\angle C$?",
        "In △ABC, ∠A = 35° and ∠B ≥ 90°. What is the largest possible value of ∠C?",
    ),
    (
        r"How many integers $n$ satisfy $1\le n\le 12{,}000$ and $n \neq 7k$ for every $k$?",
        "How many integers n satisfy 1 ≤ n ≤ 12000 and n ≠ 7k for every k?",
    ),
    (
        r"A circle has area $49\pi$. What is $\dfrac{r}{2}$, where $r$ is its radius?",
        "A circle has area 49π. What is r/2, where r is its radius?",
    ),
    (
        r"Compute \[ \sqrt{50} \times \sqrt{2} - 6 \div 3. \]",
        "Compute √50 × √2 − 6 ÷ 3.",
    ),
    (
        r"Find $x$ if $\text{the price }x$ satisfies $0.5x + \tfrac12 = 10$.",
        "Find x if the price x satisfies 0.50x + 1/2 = 10.",
    ),
    (
        r"If $\sin\theta = \frac{5}{13}$ and $\theta$ is acute, what is $\cos\theta$?",
        "If sin θ = 5/13 and θ is acute, what is cos θ?",
    ),
]

SHORT = [
    ("What is 37 times 24?", "What is 37 × 24 ?", "888"),
    ("Compute 5! + 4!.", "compute  $5! + 4!$", "144"),
    ("Factor x^2 - 9.", "Factor $x^{2} − 9$", "(x-3)(x+3)"),
    ("Simplify 18/24.", r"Simplify $\frac{18}{24}$.", "3/4"),
    ("What is the square root of 144?", "What's the square root of 144", "12"),
    ("Solve 3x + 7 = 22.", "Solve $3x+7=22$", "5"),
    ("How many minutes are in 3 hours?", "how many minutes are in three hours", "180"),
    ("Convert 45 degrees to radians.", r"Convert $45^\circ$ to radians.", "pi/4"),
]

SHORT_LOOKALIKES = [
    ("What is 37 times 42?", "1554"),
    ("Compute 5! - 4!.", "96"),
    ("Factor x^2 + 9.", "x^2+9"),
    ("Simplify 18/27.", "2/3"),
    ("What is the square root of 169?", "13"),
    ("Solve 3x - 7 = 22.", "29/3"),
    ("How many minutes are in 5 hours?", "300"),
    ("Convert 60 degrees to radians.", "pi/3"),
]
