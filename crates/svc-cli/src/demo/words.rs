//! The names and texts that the rows of the shop are made of. A list of words is one text with commas between them.

/// A country with first and last names of it.
pub(super) type Country = (&'static str, &'static str, &'static str);

pub(super) const COUNTRIES: [Country; 12] = [
    (
        "DE",
        "Jürgen, Anna, Käthe, Björn, Sören, Lena",
        "Müller, Schröder, Weiß, Köhler, Vogel, Groß",
    ),
    (
        "FR",
        "Amélie, François, Chloé, Loïc, Zoé, Hélène",
        "Lefèvre, Durand, Béranger, D’Aubigné, Moreau, Gaël",
    ),
    (
        "US",
        "Ava, James, Olivia, Noah, Mia, Ethan",
        "O'Brien, Smith, Johnson, Nguyen, Garcia, Lee",
    ),
    (
        "PL",
        "Łukasz, Zofia, Paweł, Małgorzata, Jan, Święta",
        "Wójcik, Kowalska, Dąbrowski, Zając, Nowak, Gołąb",
    ),
    (
        "BR",
        "João, Inês, Conceição, Luís, Antônia, Caio",
        "Gonçalves, da Silva, Araújo, Simões, Brandão, Costa",
    ),
    (
        "TR",
        "Gökçe, İbrahim, Şule, Çağrı, Elif, Oğuz",
        "Yılmaz, Öztürk, Şahin, Çelik, Doğan, Kaya",
    ),
    (
        "GR",
        "Γιώργος, Μαρία, Ελένη, Νίκος, Δήμητρα, Κώστας",
        "Παπαδόπουλος, Οικονόμου, Γεωργίου, Νικολάου, Βλάχος, Αγγελής",
    ),
    (
        "UA",
        "Олена, Андрій, Їжак, Ганна, Тарас, Юлія",
        "Шевченко, Коваль, Мельник, Бондар, Лисенко, Ткач",
    ),
    (
        "JP",
        "美咲, 蓮, 陽葵, 大翔, 結衣, 翔太",
        "佐藤, 鈴木, 高橋, 田中, 渡辺, 山本",
    ),
    (
        "IN",
        "प्रिया, अर्जुन, आरव, दिया, रोहन, मीरा",
        "शर्मा, वर्मा, पटेल, सिंह, गुप्ता, राव",
    ),
    (
        "EG",
        "محمد, فاطمة, أحمد, مريم, يوسف, نور",
        "حسن, إبراهيم, علي, السيد, منصور, فؤاد",
    ),
    (
        "KR",
        "민준, 서연, 도윤, 지우, 하은, 예준",
        "김, 이, 박, 최, 정, 강",
    ),
];

pub(super) const LANGUAGES: [&str; 8] = ["de", "en", "fr", "pl", "pt", "tr", "ja", "hi"];
pub(super) const THEMES: [&str; 3] = ["light", "dark", "system"];

/// A category of products, what its products are called, and the cents they cost at least and at most.
pub(super) type Category = (&'static str, &'static str, u64, u64);

pub(super) const CATEGORIES: [Category; 8] = [
    (
        "kitchen",
        "Café Mug, Crêpe Pan, Kettle, Jalapeño Grill, Whisk, Bread Knife",
        599,
        8_999,
    ),
    (
        "books",
        "Field Guide, Novel, Atlas, Cookbook, Notebook, Almanac",
        499,
        4_999,
    ),
    (
        "garden",
        "Watering Can, Pruner, Hammock, Seed Box, Lantern, Bird Bath",
        399,
        12_999,
    ),
    (
        "sport",
        "Yoga Mat, Football, Skipping Rope, Tent, Water Bottle, Ski Wax",
        699,
        24_999,
    ),
    (
        "audio",
        "Headphones, Speaker, Turntable, Microphone, Cable 3.5 mm, Radio",
        999,
        59_999,
    ),
    (
        "toys",
        "Kite, Puzzle, Building Blocks, Matryoshka, Yo-Yo, Plüschbär",
        299,
        5_999,
    ),
    (
        "office",
        "Desk Lamp, Stapler, Fountain Pen, Chair, Whiteboard, Calendar",
        199,
        39_999,
    ),
    (
        "travel",
        "Backpack, Suitcase, Neck Pillow, Adapter, Map, Umbrella",
        599,
        29_999,
    ),
];

pub(super) const STYLES: &str =
    "Classic, Mini, Deluxe, Nordic, Retro, Ünique, Eco, Travel, Pro, Family, Midnight, Señorita";
pub(super) const COLORS: [&str; 7] = ["black", "white", "red", "blue", "green", "ochre", "türkis"];
pub(super) const TAGS: [&str; 6] = ["new", "sale", "gift", "handmade", "limited", "bestseller"];

pub(super) const NOTES: [&str; 14] = [
    "call before delivery",
    "leave at the reception",
    "gift, please wrap 🎁",
    "100% sure: ring twice_",
    "bitte beim Nachbarn abgeben",
    "après 18 h, merci",
    "配達は午後にお願いします",
    "signed for",
    "second delivery attempt",
    "\"fragile\" sticker wanted",
    "discount code O'NEIL applied",
    "invoice to the company",
    "customer asked for a refund; see mail",
    "line one\nline two",
];
